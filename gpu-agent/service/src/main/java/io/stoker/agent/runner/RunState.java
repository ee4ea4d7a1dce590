package io.stoker.agent.runner;

import io.stoker.agent.spawn.StateFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** The state of a run as its spawner has written it. */
sealed interface RunState {
  /** Pid and start ticks. */
  Pattern PROCESS = Pattern.compile("[0-9]{1,18} [0-9]{1,18}");

  Pattern EXIT_CODE = Pattern.compile("-?[0-9]{1,9}");

  /** No spawner has taken it. */
  record Unclaimed() implements RunState {}

  /** A spawner has taken it and not got further. */
  record Claimed() implements RunState {}

  record Refused(String why) implements RunState {}

  record Alive(long pid, long startTicks) implements RunState {}

  /**
   * @param kept whether all that it wrote in its folder was on the disk before
   */
  record Ended(long pid, long startTicks, int exitCode, boolean kept) implements RunState {}

  /** Reads a run's state file. A line counts only with its newline, and if it is not damaged. */
  static RunState read(Path file) throws IOException {
    try {
      return parse(new String(Files.readAllBytes(file), StandardCharsets.UTF_8));
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
    if (!PROCESS.matcher(lines[0]).matches()) {
      return new Claimed();
    }
    String[] process = lines[0].split(" ");
    long pid = Long.parseLong(process[0]);
    long ticks = Long.parseLong(process[1]);
    return lines.length < 2 || !EXIT_CODE.matcher(lines[1]).matches()
        ? new Alive(pid, ticks)
        : new Ended(
            pid,
            ticks,
            Integer.parseInt(lines[1]),
            lines.length > 2 && lines[2].equals(StateFile.KEPT));
  }
}
