package io.stoker.cli.local;

import io.stoker.common.security.Macs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;

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
    return derive(hostSecret, host, 0);
  }

  /**
   * As above, after so many rotations.
   *
   * @throws IllegalArgumentException if the secret is no hex
   */
  public static String derive(String hostSecret, String host, int generation) {
    byte[] secret = HexFormat.of().parseHex(hostSecret);
    return HexFormat.of().formatHex(Macs.hostKey(secret, host, generation));
  }

  /** The file that the agent of a local stack's host reads its key from, made if it is missing. */
  public static Path file(DataFolder data, String host, String hostSecret) throws IOException {
    if (Files.notExists(data.hostKey(host))) {
      give(data, host, hostSecret, 0);
    }
    return data.hostKey(host);
  }

  /** Gives the agent of a local stack's host its key of that generation. */
  public static void give(DataFolder data, String host, String hostSecret, int generation)
      throws IOException {
    Files.createDirectories(data.hostKey(host).getParent());
    byte[] key = derive(hostSecret, host, generation).getBytes(StandardCharsets.US_ASCII);
    PrivateFile.write(data.hostKey(host), key);
  }
}
