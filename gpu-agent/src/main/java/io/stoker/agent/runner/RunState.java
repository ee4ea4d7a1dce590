package io.stoker.agent.runner;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** What a spawner has written of its run. */
sealed interface RunState {

  /** No spawner has taken it. */
  record Unclaimed() implements RunState {}

  /** A spawner has taken it and not got further. */
  record Claimed() implements RunState {}

  record Refused(String why) implements RunState {}

  record Alive(long pid, long startTicks) implements RunState {}

  record Ended(long pid, long startTicks, int exitCode) implements RunState {}

  /** Reads a run's state file. A line counts only with its newline. */
  static RunState read(Path file) throws IOException {
    try {
      return parse(Files.readString(file, StandardCharsets.UTF_8));
    } catch (NoSuchFileException e) {
      return new Unclaimed();
    }
  }

  static RunState parse(String text) {
    int whole = text.lastIndexOf('\n');
    if (whole < 0) {
      return new Claimed();
    }
    String[] lines = text.substring(0, whole).split("\n", -1);
    if (lines[0].startsWith("refused ")) {
      return new Refused(lines[0].substring("refused ".length()));
    }
    String[] process = lines[0].split(" ");
    long pid = Long.parseLong(process[0]);
    long ticks = Long.parseLong(process[1]);
    return lines.length < 2
        ? new Alive(pid, ticks)
        : new Ended(pid, ticks, Integer.parseInt(lines[1]));
  }
}
