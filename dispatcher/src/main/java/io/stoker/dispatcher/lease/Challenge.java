package io.stoker.dispatcher.lease;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;

/**
 * What a hello must answer to be welcomed. It follows from the last grant, as the host's row has
 * it, so any replica can ask and any other one check the answer, and nothing is to be stored; each
 * grant makes all answers before worthless, and so does a restored row that was given a new epoch.
 * That it can be computed by others does no harm: they cannot sign a hello that has it.
 */
final class Challenge {
  private static final int BYTES = 16;

  private Challenge() {}

  static String of(Optional<HostRow> known, String nonce) {
    String grant =
        known.map(row -> row.epoch() + "/" + row.nonce() + "/" + row.seenAt()).orElse("none");
    byte[] digest = sha256((grant + "/" + nonce).getBytes(StandardCharsets.UTF_8));
    return HexFormat.of().formatHex(digest, 0, BYTES);
  }

  private static byte[] sha256(byte[] text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
