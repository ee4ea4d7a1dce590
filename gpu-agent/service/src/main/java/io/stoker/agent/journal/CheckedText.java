package io.stoker.agent.journal;

import io.stoker.common.security.OwnFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.HexFormat;
import java.util.Optional;
import java.util.zip.CRC32;

/** A line of text in a file of its own, with its CRC-32 in 8 hex digits behind it. */
final class CheckedText {
  private static final int CRC_DIGITS = 8;

  private CheckedText() {}

  /** The line as it is written. */
  static String line(String text) {
    return text + " " + crc(text) + "\n";
  }

  /** What such a line says; empty if it is none, or was changed. */
  static Optional<String> parse(String line) {
    int blank = line.length() - CRC_DIGITS - 2;
    if (blank < 1 || line.charAt(blank) != ' ' || !line.endsWith("\n")) {
      return Optional.empty();
    }
    String text = line.substring(0, blank);
    return line.substring(blank + 1, line.length() - 1).equals(crc(text))
        ? Optional.of(text)
        : Optional.empty();
  }

  /** What a file says; empty if it is not there, or was changed. */
  static Optional<String> read(Path file) throws IOException {
    try {
      return parse(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  /** Writes a file, at once or not at all, so that it survives a power cut. */
  static void write(Path file, String text) throws IOException {
    Path fresh = file.resolveSibling(file.getFileName() + ".new");
    try (FileChannel out =
        OwnFiles.open(
            fresh,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      ByteBuffer bytes = ByteBuffer.wrap(line(text).getBytes(StandardCharsets.ISO_8859_1));
      while (bytes.hasRemaining()) {
        out.write(bytes);
      }
      out.force(true);
    }
    Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    try (FileChannel folder = FileChannel.open(file.getParent(), StandardOpenOption.READ)) {
      folder.force(true);
    }
  }

  private static String crc(String text) {
    CRC32 crc = new CRC32();
    crc.update(text.getBytes(StandardCharsets.ISO_8859_1));
    return HexFormat.of().toHexDigits((int) crc.getValue());
  }
}
