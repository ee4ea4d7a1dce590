package io.stoker.e2e.faults;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What jobs note of themselves: a file each, to which every attempt appends its number, {@code
 * start}, {@code beat} or {@code end}, when, and its pid. Appending puts the lines of two processes
 * in the order in which they were written, so two attempts at once show as interleaved lines.
 */
record Marks(Path folder) {

  /**
   * A line that a job wrote.
   *
   * @param at CLOCK_BOOTTIME, ms
   */
  record Mark(int attempt, String what, long at, long pid) {
    static Mark parse(String line) {
      String[] words = line.split(" ");
      return new Mark(
          Integer.parseInt(words[0]),
          words[1],
          new BigDecimal(words[2]).movePointRight(3).longValue(),
          Long.parseLong(words[3]));
    }

    boolean is(String other) {
      return what.equals(other);
    }
  }

  /** What {@code note WORD} needs, to be put before a script. */
  String noting() {
    // Nothing but the shell itself: many of these run at once.
    return "note() { read -r up idle </proc/uptime;"
        + " echo \"$STOKER_ATTEMPT $1 $up $$\" >>'%s'/\"$STOKER_JOB_ID\"; }; ".formatted(folder);
  }

  /**
   * A script that notes its start, beats for a while, and notes its end.
   *
   * @param beats each 0.1 s or a little longer
   */
  String script(int beats) {
    return noting()
        + "note start; i=0; while [ $i -lt "
        + beats
        + " ]; do sleep 0.1; note beat; i=$((i+1)); done; note end; ";
  }

  /** Those of one job so far, in order; none if it has not begun. */
  List<Mark> of(String job) throws IOException {
    Path file = folder.resolve(job);
    return Files.exists(file)
        ? Files.readAllLines(file).stream().map(Mark::parse).toList()
        : List.of();
  }

  /** All marks by job. */
  Map<String, List<Mark>> all() throws IOException {
    Map<String, List<Mark>> marks = new TreeMap<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        String job = file.getFileName().toString();
        marks.put(job, of(job));
      }
    }
    return marks;
  }

  /** Sentences about jobs of which two attempts ran at once, or one after a later one. */
  List<String> overlaps() throws IOException {
    List<String> overlaps = new ArrayList<>();
    all()
        .forEach(
            (job, marks) -> {
              List<Integer> attempts = marks.stream().map(Mark::attempt).toList();
              if (!attempts.equals(sorted(attempts))) {
                overlaps.add(job + " was run twice at once: " + marks);
              }
              if (marks.stream().filter(mark -> mark.is("start")).count()
                  > attempts.stream().distinct().count()) {
                overlaps.add(job + " was started twice in one attempt: " + marks);
              }
            });
    return overlaps;
  }

  private static List<Integer> sorted(List<Integer> numbers) {
    List<Integer> sorted = new ArrayList<>(numbers);
    Collections.sort(sorted);
    return sorted;
  }
}
