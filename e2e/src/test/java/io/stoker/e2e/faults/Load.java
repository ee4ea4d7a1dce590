package io.stoker.e2e.faults;

import io.stoker.common.state.RequestState;
import io.stoker.e2e.stack.Posted;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Requests in waves, one wave a fault: short jobs, a few that fail, some that equal an earlier one,
 * and dependents of both, posted before and after what they depend on.
 */
final class Load {
  /** Failures of hosts are the test's doing: they must not use up what a job has. */
  private static final Map<String, Integer> RETRY = Map.of("hostLost", 50);

  private static final int JOBS_A_DEPENDENT = 8;
  private static final int JOBS_A_FAILURE = 20;
  private static final int JOBS_AN_EQUAL = 15;

  private final Marks marks;
  private final int jobsAWave;
  private final Map<String, RequestState> expected = new TreeMap<>();

  Load(Marks marks, int jobsAWave) {
    this.marks = marks;
    this.jobsAWave = jobsAWave;
  }

  /** The requests of one wave, in an order in which some dependents come first. */
  List<Posted> wave(int number) {
    List<Posted> wave = new ArrayList<>();
    for (int i = 0; i < jobsAWave; i++) {
      String id = "w%d-j%d".formatted(number, i);
      boolean fails = i % JOBS_A_FAILURE == JOBS_A_FAILURE - 1;
      RequestState end = fails ? RequestState.FAILED : RequestState.SUCCEEDED;
      Posted job = job(id, 3 + i % 5, fails ? "exit 3" : "echo '#stoker:result " + i + "'");
      if (i % JOBS_A_DEPENDENT == 2) {
        wave.add(dependent(number, i, RequestState.SUCCEEDED));
      }
      wave.add(job);
      expected.put(id, end);
      if (fails) {
        wave.add(dependent(number, i, RequestState.FAILED));
      }
      if (i % JOBS_AN_EQUAL == 4) {
        wave.add(job.as(id + "-equal"));
        expected.put(id + "-equal", end);
      }
    }
    return wave;
  }

  /** How each request must end. */
  Map<String, RequestState> expected() {
    return Map.copyOf(expected);
  }

  private Posted dependent(int wave, int of, RequestState end) {
    String id = "w%d-d%d".formatted(wave, of);
    expected.put(id, end);
    return job(id, 1, "").dependingOn("w%d-j%d".formatted(wave, of));
  }

  private Posted job(String id, int beats, String then) {
    return Posted.script(id, marks.script(beats) + then + " # " + id).with("retry", RETRY);
  }
}
