package io.stoker.agent.journal;

import io.stoker.agent.attempt.JournalEntry;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import java.util.zip.CRC32;

/** One entry as a line: the CRC-32 of its JSON in 8 hex digits, a blank, the JSON, a newline. */
final class JournalLine {
  private static final int CRC_DIGITS = 8;
  private static final int JSON_AT = CRC_DIGITS + 1;

  private JournalLine() {}

  static byte[] write(JournalEntry entry) {
    byte[] json = Json.bytes(entry);
    byte[] line = new byte[JSON_AT + json.length + 1];
    System.arraycopy(crc(json).getBytes(StandardCharsets.US_ASCII), 0, line, 0, CRC_DIGITS);
    line[CRC_DIGITS] = ' ';
    System.arraycopy(json, 0, line, JSON_AT, json.length);
    line[line.length - 1] = '\n';
    return line;
  }

  /**
   * The entry of a line without its newline; empty if the line was torn or changed.
   *
   * @throws MalformedJson if the line is whole and yet no entry: another version wrote it
   */
  static Optional<JournalEntry> read(byte[] line) throws MalformedJson {
    if (line.length <= JSON_AT) {
      return Optional.empty();
    }
    byte[] json = Arrays.copyOfRange(line, JSON_AT, line.length);
    String told = new String(line, 0, CRC_DIGITS, StandardCharsets.US_ASCII);
    return told.equals(crc(json))
        ? Optional.of(Json.read(json, JournalEntry.class))
        : Optional.empty();
  }

  private static String crc(byte[] json) {
    CRC32 crc = new CRC32();
    crc.update(json);
    return HexFormat.of().toHexDigits((int) crc.getValue());
  }
}
