package io.stoker.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Breaks one rule at a time: a simulation that does not notice proves nothing. */
class BrokenRulesTest {
  private static final int SEEDS = 3_000;

  @ParameterizedTest
  @EnumSource(Defect.class)
  void isNoticed(Defect defect) {
    Optional<Long> noticed =
        Seeds.any(
            defect.from,
            SEEDS,
            seed ->
                complaint(seed, defect)
                    .filter(said -> said.contains(defect.complaint))
                    .map(said -> seed));
    noticed.ifPresent(seed -> System.out.printf("%s is noticed by seed %d%n", defect, seed));
    assertThat(noticed).as("a run that notices %s", defect).isPresent();
  }

  static Optional<String> complaint(long seed, Defect defect) {
    try {
      new Simulation(seed, defect.faults, Set.of(defect), new Story(0)).run();
      return Optional.empty();
    } catch (SimulationFailure failure) {
      return Optional.of(failure.getMessage());
    }
  }
}
