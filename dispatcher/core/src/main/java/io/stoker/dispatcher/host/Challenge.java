package io.stoker.dispatcher.host;

import io.stoker.common.request.Fingerprint;
import io.stoker.dispatcher.model.HostRow;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * The challenge that a hello must answer before its host is registered. It follows from the last
 * grant, as the host's row has it, so any replica can ask and any other one check the answer, and
 * nothing is to be stored; each grant makes all answers before worthless, and so does a restored
 * row that was given a new epoch. That it can be computed by others does no harm: they cannot sign
 * a hello that has it.
 */
final class Challenge {
  private static final int DIGITS = 32;

  private Challenge() {}

  static String of(Optional<HostRow> known, String nonce) {
    String grant =
        known
            .map(HostRow::grant)
            .map(last -> last.epoch() + "/" + last.nonce() + "/" + last.seenAt())
            .orElse("none");
    byte[] text = (grant + "/" + nonce).getBytes(StandardCharsets.UTF_8);
    return Fingerprint.sha256(text).substring(0, DIGITS);
  }
}
