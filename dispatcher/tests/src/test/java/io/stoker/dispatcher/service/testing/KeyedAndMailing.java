package io.stoker.dispatcher.service.testing;

import io.quarkus.test.junit.QuarkusTestProfile;
import io.stoker.cli.local.FreePorts;
import java.util.Map;

/**
 * Host keys and reports by mail together: neither disturbs the other, and each start takes long.
 */
public class KeyedAndMailing implements QuarkusTestProfile {
  public static final String SECRET = "00112233445566778899aabbccddeeff";

  /**
   * A lease that runs out within a test, and not while a busy machine is slow; two mails at most.
   */
  @Override
  public Map<String, String> getConfigOverrides() {
    return Map.ofEntries(
        Map.entry("stoker.host-secret", SECRET),
        Map.entry("stoker.host-keys", "once-used"),
        Map.entry("stoker.lease.duration", "20s"),
        Map.entry("stoker.lease.margin", "1s"),
        Map.entry("stoker.lease.heartbeat", "500ms"),
        Map.entry("stoker.mail.host", "127.0.0.1"),
        Map.entry("stoker.mail.port", Integer.toString(FreePorts.one())),
        Map.entry("stoker.mail.from", "stoker@example.org"),
        Map.entry("stoker.mail.to", "lab@example.org"),
        Map.entry("stoker.mail.min-interval", "0s"),
        Map.entry("stoker.mail.max-numbers", "2"));
  }
}
