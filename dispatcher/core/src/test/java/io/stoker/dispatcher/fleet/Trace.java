package io.stoker.dispatcher.fleet;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * What is to be run, and which hosts fail when: all of it follows from a seed.
 *
 * @param weights by queue
 * @param jobs in order of arrival; all have arrived before the start
 * @param failures by minute, the host that goes away then
 */
record Trace(Map<String, Integer> weights, List<Job> jobs, Map<Integer, Integer> failures) {
  static final int HOSTS = 50;
  static final int GPUS = 8;
  static final int QUEUES = 20;

  /** The longest run, in minutes. */
  static final int LONGEST = 30;

  /** How long a failed host is away, in minutes. */
  static final int AWAY = 20;

  private static final int[] WEIGHTS = {1, 1, 2, 3, 5};
  private static final int[] SIZES = {1, 1, 1, 1, 1, 1, 2, 2, 2, 4, 4, 8};
  private static final int MINUTES_BETWEEN_FAILURES = 60;

  /**
   * A job.
   *
   * @param minutes how long it runs
   */
  record Job(String id, String queue, int gpus, int minutes, long seq) {}

  /** Each queue has half as much more work than its share of so many minutes. */
  static Trace of(long seed, int minutes) {
    Random random = new Random(seed);
    Map<String, Integer> weights = new LinkedHashMap<>();
    for (int i = 0; i < QUEUES; i++) {
      weights.put("queue-" + i, WEIGHTS[random.nextInt(WEIGHTS.length)]);
    }
    double sum = weights.values().stream().mapToInt(Integer::intValue).sum();
    List<Job> jobs = new ArrayList<>();
    weights.forEach(
        (queue, weight) -> {
          double left = 1.5 * HOSTS * GPUS * minutes * weight / sum;
          for (int i = 0; left > 0; i++) {
            int gpus = SIZES[random.nextInt(SIZES.length)];
            int runs = random.nextInt(LONGEST / 6, LONGEST + 1);
            jobs.add(new Job(queue + "-" + i, queue, gpus, runs, jobs.size()));
            left -= gpus * runs;
          }
        });
    Map<Integer, Integer> failures = new LinkedHashMap<>();
    for (int minute = 1; minute < minutes; minute++) {
      if (random.nextInt(MINUTES_BETWEEN_FAILURES) == 0) {
        failures.put(minute, random.nextInt(HOSTS));
      }
    }
    return new Trace(weights, jobs, failures);
  }
}
