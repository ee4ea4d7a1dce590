package io.stoker.agent.journal;

import io.stoker.agent.attempt.JournalEntry;
import io.stoker.common.json.MalformedJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The content of a journal's file.
 *
 * @param entries in order, up to the first line that is not whole
 * @param wholeBytes where that line begins
 * @param lastAt where the last entry begins
 * @param damaged whether whole lines follow it: then entries are missing from the middle, and the
 *     journal cannot be believed
 */
record JournalFile(List<JournalEntry> entries, long wholeBytes, long lastAt, boolean damaged) {
  static JournalFile read(Path file) throws IOException {
    if (!Files.exists(file)) {
      return new JournalFile(List.of(), 0, 0, false);
    }
    byte[] bytes = Files.readAllBytes(file);
    List<JournalEntry> entries = new ArrayList<>();
    int start = 0;
    int last = 0;
    while (true) {
      int end = newline(bytes, start);
      Optional<JournalEntry> entry = entry(bytes, start, end);
      if (entry.isEmpty()) {
        return new JournalFile(entries, start, last, anyWhole(bytes, end));
      }
      entries.add(entry.get());
      last = start;
      start = end + 1;
    }
  }

  private static boolean anyWhole(byte[] bytes, int from) {
    int start = from + 1;
    while (start < bytes.length) {
      int end = newline(bytes, start);
      if (entry(bytes, start, end).isPresent()) {
        return true;
      }
      start = end + 1;
    }
    return false;
  }

  private static int newline(byte[] bytes, int from) {
    int at = from;
    while (at < bytes.length && bytes[at] != '\n') {
      at++;
    }
    return at;
  }

  private static Optional<JournalEntry> entry(byte[] bytes, int start, int end) {
    if (end >= bytes.length) {
      return Optional.empty();
    }
    try {
      return JournalLine.read(Arrays.copyOfRange(bytes, start, end));
    } catch (MalformedJson e) {
      return Optional.empty();
    }
  }
}
