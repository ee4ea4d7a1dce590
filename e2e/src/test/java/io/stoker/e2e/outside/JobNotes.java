package io.stoker.e2e.outside;

import io.stoker.e2e.outside.RunRules.Note;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What jobs note of themselves, a file each. The first thing a job does is to take a lock of its
 * own: whoever finds it taken meets another process of the same job.
 */
record JobNotes(Path folder) {
  /**
   * When the machine was started, ms since 1970: read once, for whoever is kept from running
   * between the two clocks would otherwise shift the notes of one job against those of another.
   */
  private static final long BOOTED = System.currentTimeMillis() - uptime();

  /** The shell's part, to be put before a script. {@code note WORD} writes a line. */
  String shell() {
    return """
        f='%s'/"$STOKER_JOB_ID"
        note() { read -r up idle </proc/uptime; echo "$STOKER_ATTEMPT $1 $up $$" >>"$f"; }
        exec 9>>"$f.lock"
        flock -n 9 || note twice
        note start
        work() { i=0; while [ $i -lt $1 ]; do sleep 0.2 9>&-; note beat; i=$((i+1)); done; }
        """
        .formatted(folder);
  }

  /** Those of a job, in the order in which they were written; none if it has not begun. */
  List<Note> of(String job) throws IOException {
    if (job == null || !Files.exists(folder.resolve(job))) {
      return List.of();
    }
    return Files.readAllLines(folder.resolve(job)).stream().map(JobNotes::parse).toList();
  }

  private static Note parse(String line) {
    String[] words = line.split(" ");
    return new Note(
        Integer.parseInt(words[0]), words[1], BOOTED + ms(words[2]), Long.parseLong(words[3]));
  }

  /** Since the machine's start, ms. */
  private static long uptime() {
    try {
      return ms(Files.readString(Path.of("/proc/uptime")).split(" ")[0]);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static long ms(String seconds) {
    return new BigDecimal(seconds).movePointRight(3).longValue();
  }
}
