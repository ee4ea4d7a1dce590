package io.stoker.e2e.outside;

import io.stoker.e2e.outside.RunRules.Note;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What jobs note of themselves, a file each. The first thing a job does is to take a lock of its
 * own: whoever finds it taken meets another process of the same job.
 */
record JobNotes(Path folder) {
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
    long booted = System.currentTimeMillis() - uptime();
    return Files.readAllLines(folder.resolve(job)).stream()
        .map(line -> parse(line, booted))
        .toList();
  }

  private static Note parse(String line, long booted) {
    String[] words = line.split(" ");
    return new Note(
        Integer.parseInt(words[0]), words[1], booted + ms(words[2]), Long.parseLong(words[3]));
  }

  /** Since the machine's start, ms. */
  private static long uptime() throws IOException {
    return ms(Files.readString(Path.of("/proc/uptime")).split(" ")[0]);
  }

  private static long ms(String seconds) {
    return new BigDecimal(seconds).movePointRight(3).longValue();
  }
}
