package io.stoker.e2e.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stoker.cli.local.Role;
import io.stoker.cli.stack.StackOptions;
import io.stoker.cli.stack.child.Child;
import io.stoker.e2e.Checkout;
import io.stoker.e2e.stack.BesideTheSharedStack;
import io.stoker.e2e.stack.Posted;
import io.stoker.e2e.stack.Rest;
import io.stoker.e2e.stack.StokerStack;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Several dispatchers, of which one after the other is killed, stopped or restarted while requests
 * are taken in, placed and run: every request ends once, and nothing is run twice. The work is done
 * by warm workers of real agents. The short form runs with the suite, three replicas and 500
 * requests; {@code -Psoak} runs 20,000 with two and 20,000 with three.
 */
@Timeout(3_600)
@BesideTheSharedStack
class ReplicasTest {
  private static final int REQUESTS = Integer.getInteger("stoker.soak.requests", 500);
  private static final int FAULTS = Integer.getInteger("stoker.soak.faults", 2);
  private static final int FEWEST = Integer.getInteger("stoker.soak.replicas", 3);
  private static final int MOST = 3;

  /** Long where others load the machine; a takeover is promised within 5 s. */
  private static final int TAKEOVER_SECONDS =
      Integer.getInteger("stoker.soak.takeover-seconds", 60);

  private static final Duration PATIENCE =
      Duration.ofSeconds(Integer.getInteger("stoker.soak.patience-seconds", 300));
  private static final long SEED = 7;
  private static final int JOBS_A_DEPENDENT = 8;
  private static final int JOBS_AN_EQUAL = 15;
  private static final int JOBS_A_SLOW = 5;

  /** Of these what is shown does not depend on when it is asked for. */
  private static final String LIST = "/requests?";

  private static final List<String> VIEWS =
      List.of(
          "/",
          "/hosts",
          "/hosts/host-1",
          "/queues",
          "/pools",
          "/kinds",
          "/groups",
          "/dead-letters",
          "/requests/%s",
          LIST + "limit=1000",
          LIST + "by=state",
          LIST + "state=SUCCEEDED&sort=-ended");

  @TempDir static Path folder;

  private final List<String> ids = new ArrayList<>();
  private final Map<String, String> dependencies = new HashMap<>();
  private int next;

  static IntStream replicas() {
    return IntStream.rangeClosed(FEWEST, MOST);
  }

  @ParameterizedTest
  @MethodSource("replicas")
  void everyRequestEndsOnceWhicheverDies(int replicas) throws Exception {
    Runs runs = new Runs(folder.resolve("runs-" + replicas));
    try (StokerStack stack = StokerStack.start("replicas-" + replicas, options(replicas, runs));
        Endings endings = new Endings(stack.processes().info().kafka(), stack.topics().status())) {
      Replicas dispatchers = new Replicas(stack, SEED);
      long start = System.nanoTime();
      for (int wave = 0; wave < FAULTS; wave++) {
        int before = endings.ended();
        int posted = post(stack, REQUESTS / FAULTS);
        // A replica that was stopped keeps its partitions for a while, and what is in them waits.
        endings.awaitEnded(Math.min(before + posted / 4, ids.size()), PATIENCE);
        dispatchers.strike();
      }
      dispatchers.awaitAll();
      endings.awaitEnded(ids.size(), PATIENCE);
      double seconds = (System.nanoTime() - start) / 1e9;

      System.out.printf(
          "%d replicas, %,d requests in %.0f s; struck %s; taken over after %s ms%n",
          replicas, ids.size(), seconds, dispatchers.struck(), dispatchers.takeovers());
      assertThat(endings.wrong(ids)).isEmpty();
      assertThat(runs.wrong(dependencies)).isEmpty();
      assertThat(runs.jobs()).as("equal ones are run once").isEqualTo(next + dependencies.size());
      assertThat(dispatchers.takeovers())
          .isNotEmpty()
          .allMatch(ms -> ms <= Duration.ofSeconds(TAKEOVER_SECONDS).toMillis());
      Aftermath.assertAllIsFree(stack, PATIENCE);
      Map<String, Long> newest = stack.database().versions();
      await("the last records to be the newest")
          .atMost(PATIENCE)
          .until(endings::lastVersions, newest::equals);
      assertAllShowTheSame(stack);
    }
  }

  /** Whichever of them people ask. */
  private void assertAllShowTheSame(StokerStack stack) throws Exception {
    Rest first = new Rest(stack);
    for (String view : VIEWS) {
      String path = view.formatted(ids.getFirst());
      String shown = view.startsWith(LIST) ? first.get(path) : "";
      for (Child replica : stack.processes().children(Role.DISPATCHER)) {
        Rest other = first.of(replica);
        assertThat(other.get(path, "text/html").statusCode())
            .as("%s of %s", path, replica.name())
            .isEqualTo(200);
        if (view.startsWith(LIST)) {
          assertThat(other.get(path)).as("%s of %s", path, replica.name()).isEqualTo(shown);
        }
      }
    }
  }

  private static StackOptions options(int replicas, Runs runs) {
    Map<String, String> agents = new HashMap<>(StokerStack.WITHOUT_GPUS);
    Path worker = Checkout.root().resolve("e2e/src/test/resources/noting-worker.sh");
    agents.put("STOKER_POOLS_NOTING_COMMAND", "sh," + worker + "," + runs.file());
    agents.put("STOKER_POOLS_NOTING_MIN", "2");
    agents.put("STOKER_POOLS_NOTING_MAX", "4");
    return StackOptions.DEFAULT.withDispatchers(replicas).withHosts(2).withAgentEnvironment(agents);
  }

  /** Posts so many requests, and what belongs to them; a dependent comes before what it awaits. */
  private int post(StokerStack stack, int count) {
    int before = ids.size();
    for (; ids.size() < before + count; next++) {
      int i = next;
      String id = "r-" + i;
      Posted job = task(id, Map.of("i", i, "slow", i % JOBS_A_SLOW == 0));
      if (i % JOBS_A_DEPENDENT == 2) {
        dependencies.put("d-" + i, id);
        send(stack, task("d-" + i, Map.of("after", i)).dependingOn(id));
      }
      send(stack, job);
      if (i % JOBS_AN_EQUAL == 4) {
        send(stack, job.as(id + Runs.EQUAL));
      }
    }
    stack.producer().flush();
    return ids.size() - before;
  }

  private void send(StokerStack stack, Posted request) {
    ids.add(request.id());
    stack.producer().request(request);
  }

  private static Posted task(String id, Map<String, Object> params) {
    return Posted.bare(id).with("workers", "noting").with("params", params);
  }
}
