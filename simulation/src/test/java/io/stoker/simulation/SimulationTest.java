package io.stoker.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.dispatcher.experiment.ExperimentRow.State;
import io.stoker.simulation.Simulation.Result;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Thousands of runs, each from a seed. A seed that fails is named, and told again by
 *
 * <pre>./mvnw -pl simulation -am test -Dtest=SimulationTest -Dstoker.sim.seed=42</pre>
 *
 * <p>See docs/simulation.md.
 */
class SimulationTest {
  private static final String SEED = "stoker.sim.seed";
  private static final int SEEDS = Integer.getInteger("stoker.sim.seeds", 1_000);
  private static final long FIRST = Long.getLong("stoker.sim.first", 1);

  /** Of seeds that were run: none is run twice, though two tests at once ask for the same. */
  private static final Map<Long, Result> RESULTS = new ConcurrentHashMap<>();

  @Test
  @DisabledIfSystemProperty(named = SEED, matches = ".*")
  void invariantsHoldForEverySeed() {
    List<String> failures =
        Seeds.all(FIRST, SEEDS, SimulationTest::failure).stream()
            .flatMap(Optional::stream)
            .toList();
    System.out.printf("Simulation: %s%n%s%n", sights(RESULTS.values()), coverage().table());
    assertThat(failures).as("replay one by -D%s=<seed>", SEED).isEmpty();
  }

  @Test
  @EnabledIfSystemProperty(named = SEED, matches = "-?[0-9]+")
  void seedIsToldAgain() {
    Story story = new Story(Integer.getInteger("stoker.sim.lines", 400));
    try {
      new Simulation(Long.getLong(SEED), null, Set.of(), story).run();
    } finally {
      story.lines().forEach(System.out::println);
    }
  }

  @Test
  void sameSeedGivesTheSameRun() {
    for (long seed = 1; seed <= 20; seed++) {
      Result once = run(seed);
      Result again = new Simulation(seed, null, Set.of(), new Story(0)).run();
      assertThat(again).as("seed %d", seed).isEqualTo(once);
    }
  }

  @Test
  void allThatMattersComesUpNowAndThen() {
    Sights sights = sights(Seeds.all(1, 200, SimulationTest::run));
    assertThat(sights.preemptions()).as("jobs make room: %s", sights).isPositive();
    assertThat(sights.shared()).as("jobs share GPUs: %s", sights).isPositive();
    assertThat(sights.gpuOoms()).as("GPUs are full: %s", sights).isPositive();
    assertThat(sights.hostOoms()).as("hosts are full: %s", sights).isPositive();
    assertThat(sights.trials()).as("suspect hosts are tried: %s", sights).isPositive();
    assertThat(sights.flapping()).as("hosts come and go: %s", sights).isPositive();
    assertThat(sights.setAside()).as("what fails by itself ends: %s", sights).isPositive();
    assertThat(sights.heard()).as("replicas hear each other: %s", sights).isPositive();
    assertThat(sights.refused()).as("hosts have twins: %s", sights).isPositive();
    assertThat(sights.left()).as("journals do not hold what runs: %s", sights).isPositive();
    assertThat(sights.immediate()).as("intake places: %s", sights).isPositive();
    assertThat(sights.joined()).as("ends place: %s", sights).isPositive();
    assertThat(sights.moved()).as("drained hosts are emptied: %s", sights).isPositive();
    assertThat(sights.large()).as("large jobs are sent in parts: %s", sights).isPositive();
    assertThat(sights.restores()).as("the database is put back: %s", sights).isPositive();
    assertThat(sights.held()).as("jobs are held behind slots: %s", sights).isPositive();
    assertThat(sights.calledBack()).as("what is held is called back: %s", sights).isPositive();
    assertThat(sights.tooLarge()).as("some is too large: %s", sights).isPositive();
    PoolSights pools = sights.pools();
    assertThat(pools.begun()).as("workers begin jobs: %s", sights).isPositive();
    assertThat(pools.ahead()).as("they are told before their turn: %s", sights).isPositive();
    assertThat(pools.crashes()).as("workers crash: %s", sights).isPositive();
    assertThat(pools.withdrawn()).as("jobs are withdrawn: %s", sights).isPositive();
    assertThat(pools.handedBack()).as("jobs are told to another one: %s", sights).isPositive();
    assertThat(pools.resets()).as("pools are reset: %s", sights).isPositive();
    assertThat(sights.stages()).as("of staged jobs").containsOnlyKeys(StageSight.values());
    assertThat(sights.plans())
        .as("groups with a plan end")
        .containsOnlyKeys(State.FINISHED, State.FAILED, State.STOPPED);
  }

  private static Optional<String> failure(long seed) {
    try {
      run(seed);
      return Optional.empty();
    } catch (SimulationFailure failure) {
      return Optional.of("seed " + seed + ": " + failure.getMessage());
    }
  }

  private static Result run(long seed) {
    return RESULTS.computeIfAbsent(
        seed, fresh -> new Simulation(fresh, null, Set.of(), new Story(0)).run());
  }

  private static Sights sights(Collection<Result> runs) {
    return runs.stream().map(Result::sights).reduce(Sights.NONE, Sights::and);
  }

  private static Coverage coverage() {
    return RESULTS.values().stream().map(Result::coverage).reduce(Coverage.none(), Coverage::and);
  }
}
