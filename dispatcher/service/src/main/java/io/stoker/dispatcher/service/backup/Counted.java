package io.stoker.dispatcher.service.backup;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Counts and digests what is written through it; closing it leaves what is behind it open. */
final class Counted extends FilterOutputStream {
  private final MessageDigest digest;
  private long bytes;

  Counted(OutputStream out) {
    super(out);
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  @Override
  public void write(int one) throws IOException {
    write(new byte[] {(byte) one}, 0, 1);
  }

  @Override
  public void write(byte[] some, int from, int count) throws IOException {
    out.write(some, from, count);
    digest.update(some, from, count);
    bytes += count;
  }

  @Override
  public void close() throws IOException {
    flush();
  }

  long bytes() {
    return bytes;
  }

  /** To be asked once, when all is written. */
  String sha256() {
    return HexFormat.of().formatHex(digest.digest());
  }
}
