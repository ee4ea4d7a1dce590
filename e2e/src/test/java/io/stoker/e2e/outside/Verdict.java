package io.stoker.e2e.outside;

import io.stoker.e2e.outside.OutsideLoad.Expected;
import io.stoker.e2e.outside.RunRules.Note;
import io.stoker.e2e.stack.DeadLetterLog.Letter;
import io.stoker.e2e.stack.StokerStack;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/** What is to be said of a load once all of it has ended. */
final class Verdict {
  private Verdict() {}

  /**
   * Sentences about what was promised and broken.
   *
   * @param ends how each request ended
   */
  static List<String> of(
      StokerStack stack,
      Map<String, Expected> all,
      Map<String, StatusRules.End> ends,
      JobNotes notes)
      throws Exception {
    List<String> broken = new ArrayList<>(wrongEnds(all, ends));
    broken.addAll(wrongRuns(all, ends, notes));
    broken.addAll(wrongLetters(stack, all));
    return broken;
  }

  private static List<String> wrongEnds(
      Map<String, Expected> all, Map<String, StatusRules.End> ends) {
    List<String> wrong = new ArrayList<>();
    all.forEach(
        (id, expected) -> {
          StatusRules.End end = ends.get(id);
          if (!expected.ends().contains(end.state())) {
            wrong.add("%s must end as %s: %s".formatted(id, expected.ends(), end));
          } else if (expected.result() != null
              && end.state().equals("SUCCEEDED")
              && !expected.result().equals(end.result().asText())) {
            wrong.add("%s must have the result %s: %s".formatted(id, expected.result(), end));
          }
        });
    return wrong;
  }

  private static List<String> wrongRuns(
      Map<String, Expected> all, Map<String, StatusRules.End> ends, JobNotes notes)
      throws Exception {
    Map<String, List<StatusRules.End>> byJob = new HashMap<>();
    ends.values().stream()
        .filter(end -> end.job() != null && !end.cached())
        .forEach(end -> byJob.computeIfAbsent(end.job(), job -> new ArrayList<>()).add(end));
    List<String> wrong = new ArrayList<>();
    for (Map.Entry<String, List<StatusRules.End>> job : byJob.entrySet()) {
      List<Note> written = notes.of(job.getKey());
      wrong.addAll(RunRules.ofJob(job.getKey(), written));
      wrong.addAll(RunRules.outlives(job.getKey(), written, job.getValue()));
    }
    for (Expected one : all.values()) {
      Map<String, List<Note>> dependencies = new TreeMap<>();
      for (String id : one.dependencies()) {
        dependencies.put(id, notes.of(ends.get(id).job()));
      }
      String job = ends.get(one.posted().id()).job();
      wrong.addAll(RunRules.tooEarly(one.posted().id(), notes.of(job), dependencies));
    }
    return wrong;
  }

  /** None of what was posted rightly is a dead letter. */
  private static List<String> wrongLetters(StokerStack stack, Map<String, Expected> all) {
    return stack.deadLetters().all().stream()
        .filter(letter -> all.containsKey(letter.key()))
        .map(Letter::reason)
        .collect(Collectors.groupingBy(Function.identity(), TreeMap::new, Collectors.counting()))
        .entrySet()
        .stream()
        .map(reason -> "%d dead letters: %s".formatted(reason.getValue(), reason.getKey()))
        .toList();
  }
}
