package io.stoker.cli.local;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The key by which a host proves who it is: derived, so the dispatcher keeps no list of keys. */
public final class HostKey {
  private HostKey() {}

  /**
   * HMAC-SHA256 of the host's name under the secret.
   *
   * @param hostSecret hex
   * @return hex
   */
  public static String derive(String hostSecret, String host) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(HexFormat.of().parseHex(hostSecret), "HmacSHA256"));
      return HexFormat.of().formatHex(mac.doFinal(host.getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java runtime has HmacSHA256", e);
    }
  }
}
