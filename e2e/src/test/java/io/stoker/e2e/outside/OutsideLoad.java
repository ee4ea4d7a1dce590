package io.stoker.e2e.outside;

import io.stoker.e2e.stack.Posted;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * Requests of many kinds, each with the ends that it may have: plain ones, failing ones, equal
 * ones, dependents, hostile output, large and many results, and those that are cancelled.
 */
final class OutsideLoad {
  /** What hosts and processes suffer is the test's doing: it must not use up what a job has. */
  private static final Map<String, Integer> RETRY =
      Map.of("hostLost", 100, "launch", 100, "hostOom", 100, "deviceFault", 100);

  /** Of jobs that are killed, or that a full disk keeps from writing what they should. */
  private static final Map<String, Integer> RETRY_KILLED = withApp();

  private static final Set<String> SUCCEEDED = Set.of("SUCCEEDED");
  private static final Set<String> FAILED = Set.of("FAILED");
  private static final int LARGE_BYTES = 240_000;
  private static final AtomicInteger LOADS = new AtomicInteger();

  /**
   * A request that was posted.
   *
   * @param ends in which it may end
   * @param result of it if it succeeds, as text; null where that does not matter
   * @param dependencies that must have succeeded before it begins
   * @param cancelled whether somebody may cancel it
   * @param killed whether somebody may kill its processes
   */
  record Expected(
      Posted posted,
      Set<String> ends,
      String result,
      List<String> dependencies,
      boolean cancelled,
      boolean killed) {}

  private final JobNotes notes;
  private final Random random;
  private final Map<String, Expected> all = new TreeMap<>();

  /** By this number those that were left behind are known. */
  private final String orphanSeconds =
      "86399.%d%03d".formatted(ProcessHandle.current().pid(), LOADS.incrementAndGet());

  private int next;

  OutsideLoad(JobNotes notes, Random random) {
    this.notes = notes;
    this.random = random;
  }

  /** The next few requests, to be posted in this order: some dependents come first. */
  synchronized List<Expected> wave() {
    int n = next++;
    String id = "out-" + n;
    List<Expected> wave =
        switch (n % 8) {
          case 1 -> List.of(plain(id, FAILED, null, "work 1; exit 3", RETRY));
          case 2 -> withDependents(id);
          case 3 -> withEquals(id);
          case 4 -> List.of(hostile(id));
          case 5 -> List.of(cancelled(id));
          case 6 -> n % 48 == 6 ? manyLarge(id) : List.of(orphan(id));
          case 7 -> List.of(talkative(id));
          default -> List.of(killed(id));
        };
    wave.forEach(one -> all.put(one.posted().id(), one));
    return wave;
  }

  /** All so far, by id. */
  synchronized Map<String, Expected> all() {
    return new TreeMap<>(all);
  }

  private Expected killed(String id) {
    Posted posted = script(id, work() + result("\"" + id + "\""), RETRY_KILLED);
    return new Expected(posted, SUCCEEDED, id, List.of(), false, true);
  }

  private Expected plain(
      String id, Set<String> ends, String result, String script, Map<String, Integer> retry) {
    return new Expected(script(id, script, retry), ends, result, List.of(), false, false);
  }

  private List<Expected> withDependents(String id) {
    Expected first = plain(id, SUCCEEDED, id, work() + result("\"" + id + "\""), RETRY_KILLED);
    Expected failing = plain(id + "-f", FAILED, null, "exit 4", RETRY);
    return List.of(
        dependent(id + "-d", SUCCEEDED, List.of(id)),
        first,
        dependent(id + "-dd", SUCCEEDED, List.of(id, id + "-d")),
        failing,
        dependent(id + "-df", FAILED, List.of(id, id + "-f")));
  }

  private Expected dependent(String id, Set<String> ends, List<String> on) {
    Posted posted =
        script(id, "work 1; note end; # " + id, RETRY).dependingOn(on.toArray(new String[0]));
    return new Expected(posted, ends, null, on, false, false);
  }

  private List<Expected> withEquals(String id) {
    Expected one = plain(id, SUCCEEDED, id, work() + result("\"" + id + "\""), RETRY_KILLED);
    List<Expected> equals = new ArrayList<>(List.of(one));
    for (int i = 0; i < 3; i++) {
      equals.add(
          new Expected(one.posted().as(id + "-e" + i), SUCCEEDED, id, List.of(), false, false));
    }
    return equals;
  }

  /** What it prints cannot be stored, signed or shown as it is; and there is a lot of it. */
  private Expected hostile(String id) {
    String emoji = "x".repeat(499) + "\\360\\237\\230\\200";
    String script =
        "printf 'a\\000b\\033[2J\\377\\n'; printf '#stoker:result {\"a\":\"\\\\u0000\"}\\n';"
            + " printf '"
            + emoji
            + "' >&2; printf '\\000' >&2; work 1; note end; exit $(("
            + random.nextInt(2)
            + " * 5))";
    return plain(id, Set.of("SUCCEEDED", "FAILED"), null, script + " # " + id, RETRY);
  }

  private Expected cancelled(String id) {
    Posted posted = script(id, "work 20; note end # " + id, RETRY);
    return new Expected(posted, Set.of("SUCCEEDED", "CANCELLED"), null, List.of(), true, false);
  }

  /** It leaves a process behind that has neither its session nor its environment. */
  private Expected orphan(String id) {
    return plain(
        id,
        SUCCEEDED,
        id,
        "setsid env -i sleep " + orphanSeconds + " 9>&- & work 1; " + result("\"" + id + "\""),
        RETRY_KILLED);
  }

  /** Processes that its jobs left behind. */
  List<String> orphans() {
    return ProcessHandle.allProcesses()
        .filter(
            process ->
                process.info().arguments().map(List::of).orElse(List.of()).contains(orphanSeconds))
        .map(ProcessHandle::toString)
        .toList();
  }

  private List<Expected> manyLarge(String id) {
    List<Expected> wave = new ArrayList<>();
    List<String> large = IntStream.range(0, 6).mapToObj(i -> id + "-large" + i).toList();
    for (String one : large) {
      wave.add(
          plain(
              one,
              SUCCEEDED,
              null,
              "set -e; { printf '\"%s'; head -c %d /dev/zero | tr '\\0' x; printf '\"'; } >\"$STOKER_RESULT\"; note end"
                  .formatted(one, LARGE_BYTES),
              RETRY_KILLED));
    }
    Posted reader =
        script(
                id,
                "work 1; bytes=$(wc -c <\"$STOKER_DEPENDENCIES\"); [ $bytes -gt %d ] || exit 8; "
                        .formatted(large.size() * LARGE_BYTES)
                    + result("$bytes"),
                RETRY_KILLED)
            .dependingOn(large.toArray(new String[0]));
    wave.add(new Expected(reader, SUCCEEDED, null, large, false, false));
    return wave;
  }

  private String work() {
    return "work " + (1 + random.nextInt(12)) + "; ";
  }

  /** It has more to say than an attempt may say without reserving numbers again. */
  private Expected talkative(String id) {
    String talk =
        "for i in $(seq 8); do work 1; for j in $(seq 20); do"
            + " echo '#stoker:result '$i || exit 9; done; done; ";
    return plain(id, SUCCEEDED, id, talk + result("\"" + id + "\""), RETRY_KILLED);
  }

  private static String result(String json) {
    return "echo '#stoker:result '" + json.replace("\"", "\\\"") + " || exit 9; note end";
  }

  private Posted script(String id, String script, Map<String, Integer> retry) {
    return Posted.script(id, notes.shell() + script).with("retry", retry);
  }

  private static Map<String, Integer> withApp() {
    Map<String, Integer> retry = new TreeMap<>(RETRY);
    retry.put("app", 100);
    return retry;
  }
}
