package io.stoker.e2e.faults;

import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.stack.Posted;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * Jobs of random sizes that share simulated GPUs, and of which some crash, are killed, run out of
 * memory, or leave behind a daemon in a session of its own that ignores SIGTERM.
 *
 * <p>Each process takes its memory under the GPU's lock and notes what is then taken of that GPU by
 * all: {@code took:} and the bytes. So every single moment at which a GPU could become
 * overcommitted is seen.
 */
final class Churn {
  private static final long MIB = 1L << 20;

  /** What all jobs know; %1$s is the folder of GPUs, %2$s one for the jobs' own use. */
  private static final String LIBRARY =
      """
      take() {
        for id in $(echo "$CUDA_VISIBLE_DEVICES" | tr , ' '); do
          gpu=$(grep -lx "$id" '%1$s'/gpu*/uuid)
          gpu=${gpu%%/uuid}
          (
            flock 9
            sum=$1
            for file in "$gpu"/processes/*; do
              { read -r bytes <"$file"; } 2>/dev/null && sum=$((sum + bytes))
            done
            echo "$1" >'%2$s'/$$.bytes
            mv '%2$s'/$$.bytes "$gpu"/processes/$$
            note "took:$sum"
          ) 9>>'%2$s'/lock-"${gpu##*/}"
        done
      }

      work() {
        left=$1
        while [ $left -gt 0 ]; do sleep 0.2; note beat; left=$((left - 1)); done
      }

      begin() { note start; take "$1"; work "$2"; }

      # Whether this job has come here fewer times before than $1.
      again() {
        before=$(cat '%2$s'/"$STOKER_JOB_ID".count 2>/dev/null | wc -l)
        echo x >>'%2$s'/"$STOKER_JOB_ID".count
        [ "$before" -lt "$1" ]
      }

      works() { begin "$1" "$2"; note end; }

      crashes() { begin "$1" "$2"; exit 3; }

      is_killed() {
        begin "$1" "$2"
        if again 1; then kill -KILL $$; fi
        note end
      }

      runs_out() {
        begin "$1" "$2"
        if again "$3"; then
          echo 'torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB' >&2
          exit 1
        fi
        note end
      }

      leaves_a_daemon() {
        note start
        take $(($1 / 2))
        daemon='%2$s'/"$STOKER_JOB_ID"."$STOKER_ATTEMPT"
        setsid sh -c ". '$0'; daemon $(($1 / 2)) '$daemon'" &
        until [ -e "$daemon" ]; do sleep 0.05; done
        work "$2"
        note end
      }

      daemon() {
        trap '' TERM
        take "$1"
        : >"$2"
        while :; do sleep 0.2; note daemon; done
      }
      """;

  /** How a job must end, and how many of its attempts must have begun. */
  record Expected(RequestState state, Code code, int starts) {}

  private final Path script;
  private final Random random;
  private final Map<String, Expected> expected = new TreeMap<>();

  /**
   * @param gpus the simulated GPUs' folder
   * @param own an empty folder
   */
  Churn(Marks marks, Path gpus, Path own, Random random) throws IOException {
    this.random = random;
    script = own.resolve("churn.sh");
    Files.writeString(script, marks.noting() + "\n" + LIBRARY.formatted(gpus, own));
  }

  /** So many requests. */
  List<Posted> jobs(int count) {
    List<Posted> jobs = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      jobs.add(job("churn-" + i));
    }
    return jobs;
  }

  Map<String, Expected> expected() {
    return expected;
  }

  private Posted job(String id) {
    long bytes = (256 + random.nextInt(7 * 1024)) * MIB;
    int beats = 2 + random.nextInt(12);
    String does = does(id, "%d %d".formatted(bytes, beats));
    return Posted.bare(id)
        .with("command", List.of("sh", "-c", ". \"$0\"; " + does + " # " + id, script.toString()))
        .with("resources", Map.of("gpus", 1, "sharing", "shared", "gpuMemory", bytes))
        .with("retry", Map.of("app", does.startsWith("is_killed") ? 1 : 0));
  }

  private String does(String id, String sizes) {
    int kind = random.nextInt(20);
    if (kind < 10) {
      return expect(id, "works " + sizes, RequestState.SUCCEEDED, null, 1);
    } else if (kind < 12) {
      return expect(id, "crashes " + sizes, RequestState.FAILED, Code.APP_FAILURE, 1);
    } else if (kind < 14) {
      return expect(id, "is_killed " + sizes, RequestState.SUCCEEDED, null, 2);
    } else if (kind < 16) {
      int times = 1 + random.nextInt(3);
      String runsOut = "runs_out " + sizes + " " + times;
      return times < 3
          ? expect(id, runsOut, RequestState.SUCCEEDED, null, times + 1)
          : expect(id, runsOut, RequestState.FAILED, Code.GPU_OUT_OF_MEMORY, 3);
    }
    return expect(id, "leaves_a_daemon " + sizes, RequestState.SUCCEEDED, null, 1);
  }

  private String expect(String id, String does, RequestState state, Code code, int starts) {
    expected.put(id, new Expected(state, code, starts));
    return does;
  }
}
