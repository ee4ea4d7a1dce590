package io.stoker.e2e.outside;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What is promised of the runs of jobs, judged from what the jobs themselves noted: one at a time,
 * attempts in order, none before what it depends on, and none after its request has ended.
 */
final class RunRules {
  /** How far the clock of the notes may be ahead of the clock of the statuses. */
  private static final long CLOCKS_MS = 20;

  private RunRules() {}

  /**
   * A line that a job wrote.
   *
   * @param word {@code start}, {@code beat}, {@code end}, or {@code twice} where another process of
   *     the same job held its lock
   * @param at ms since 1970
   */
  record Note(int attempt, String word, long at, long pid) {}

  /** Sentences about one job. */
  static List<String> ofJob(String job, List<Note> notes) {
    List<String> broken = new ArrayList<>();
    Set<Integer> started = new HashSet<>();
    int highest = 0;
    for (Note note : notes) {
      if (note.word().equals("twice")) {
        broken.add("attempt %d of %s found another one at work".formatted(note.attempt(), job));
      }
      if (note.attempt() < highest) {
        broken.add(
            "attempt %d of %s was at work after attempt %d had begun"
                .formatted(note.attempt(), job, highest));
      }
      if (note.word().equals("start") && !started.add(note.attempt())) {
        broken.add("attempt %d of %s was started twice".formatted(note.attempt(), job));
      }
      highest = Math.max(highest, note.attempt());
    }
    return broken;
  }

  /**
   * Sentences about a job that was at work after all its requests had ended.
   *
   * @param requests how each request ended that this job ran for
   */
  static List<String> outlives(String job, List<Note> notes, Collection<StatusRules.End> requests) {
    long over =
        requests.stream().mapToLong(StatusRules.End::at).max().orElse(Long.MAX_VALUE - CLOCKS_MS);
    return notes.stream()
        .filter(note -> note.at() > over + CLOCKS_MS)
        .limit(1)
        .map(
            note -> "%s was at work %d ms after its end: %s".formatted(job, note.at() - over, note))
        .toList();
  }

  /**
   * Sentences about a dependent that began before what it depends on was over.
   *
   * @param dependencies the notes of each job that it depends on, by name
   */
  static List<String> tooEarly(String job, List<Note> notes, Map<String, List<Note>> dependencies) {
    if (notes.isEmpty()) {
      return List.of();
    }
    long began = notes.getFirst().at();
    return dependencies.entrySet().stream()
        .filter(
            dependency ->
                dependency.getValue().stream()
                    .noneMatch(note -> note.word().equals("end") && note.at() <= began))
        .map(dependency -> "%s began before %s was over".formatted(job, dependency.getKey()))
        .toList();
  }
}
