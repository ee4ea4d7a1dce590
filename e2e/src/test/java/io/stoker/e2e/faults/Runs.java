package io.stoker.e2e.faults;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What workers have noted in one file: {@code begin} or {@code end}, the request that started the
 * job, and the attempt, in the order in which it happened.
 */
record Runs(Path file) {
  /** What the id of a request ends with that equals the one of the id before that. */
  static final String EQUAL = "-equal";

  /** Whichever of two equal ones came first has started the job of both. */
  private static String job(String request) {
    return request.replace(EQUAL, "");
  }

  /** How many jobs began, each counted once. */
  int jobs() throws IOException {
    Set<String> jobs = new HashSet<>();
    for (String line : Files.readAllLines(file)) {
      jobs.add(job(line.split(" ")[1]));
    }
    return jobs.size();
  }

  /**
   * Sentences about jobs that were run more than once, or before what they depend on was over.
   *
   * @param dependencies by dependent
   */
  List<String> wrong(Map<String, String> dependencies) throws IOException {
    List<String> wrong = new ArrayList<>();
    Map<String, Integer> begun = new HashMap<>();
    Set<String> over = new HashSet<>();
    for (String line : Files.readAllLines(file)) {
      String[] words = line.split(" ");
      String request = job(words[1]);
      if (words[0].equals("end")) {
        over.add(request);
        continue;
      }
      if (begun.merge(request, 1, Integer::sum) > 1) {
        wrong.add("%s was run again, as attempt %s".formatted(request, words[2]));
      }
      String awaited = dependencies.get(request);
      if (awaited != null && !over.contains(awaited)) {
        wrong.add("%s was run before %s was over".formatted(request, awaited));
      }
    }
    return wrong;
  }
}
