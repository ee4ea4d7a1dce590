package io.stoker.e2e.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.e2e.stack.BesideTheSharedStack;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Breaks one rule at a time: a simulation that does not notice proves nothing. */
@BesideTheSharedStack
class BrokenRulesTest {
  private static final int SEEDS = 3_000;

  /** Nothing but slow networks: events come after the time in which to accept. */
  private static final Faults SLOW = new Faults(0, 0, 0, 0, 0, 0.08, 0, 0, 0, 0, 0, 0, 0, 0, 0);

  /** Nothing but agents that die, or are stopped past their lease. */
  private static final Faults CRASHING =
      new Faults(0, 0.02, 0, 0, 0, 0, 0, 0, 0.05, 0, 0, 0, 0, 0, 0);

  /** Nothing but dispatchers that die, or are stopped, and machines on which nothing starts. */
  private static final Faults FORGETFUL =
      new Faults(0.02, 0, 0, 0, 0, 0, 0, 0.05, 0, 0, 0, 0, 0.1, 0, 0);

  private static final Faults DEADLY =
      new Faults(
          0.004, 0.004, 0.02, 0.02, 0.05, 0.05, 0.5, 0.05, 0.05, 0.05, 0.01, 0.01, 0.02, 0.02, 0.2);

  /** Nothing but people, and machines on which nothing starts. */
  private static final Faults KEPT_OFF =
      new Faults(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.1, 0.1, 0);

  /** Nothing but what hosts have said being in the log again, and agents that die. */
  private static final Faults REPLAYED =
      new Faults(0, 0.01, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0).withReplays(0.8, 0);

  /** The same where hellos answer no challenges. */
  private static final Faults REPLAYED_BEFORE =
      new Faults(0, 0.01, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0).withReplays(0.8, 1);

  @ParameterizedTest
  @CsvSource({
    "CLOSE_BY_TIME_ALONE, two attempts of job",
    "NO_WATCHDOG, two attempts of job",
    "TRUST_LAST_STATUSES, is not its newest",
    "FORGET_DUE_STATUSES, was never published",
    "FORGET_WAITS, is QUEUED",
    "ACT_BEFORE_JOURNAL, two attempts of job",
    "FORGET_TO_HOLD, two attempts of job",
    "FORGET_CORDONS, which is cordoned",
    "FORGET_SUSPICIONS, which is suspect",
    "FORGET_HOST_MEMORY, is promised beyond its memory",
    "FORGET_OUT_OF_MEMORY, and is to share",
    "FORGET_SHARERS, beyond the memory of its GPUs",
    "FORGET_NEEDS, waits behind an equal",
    "BELIEVE_HOST_KEYS, that was forged",
    "NO_CHALLENGE, is granted a second epoch",
    "CLOSE_AT_HELLO, two attempts of job",
    "IGNORE_NEWER_EPOCHS, does not come to rest",
    "FOLLOW_CLOCK, does not come to rest",
    "PLACE_UNSETTLED, at once",
    "IGNORE_CALL_BACKS, is held behind the slots",
    "PLACE_CALLED_BACK, two attempts of job",
  })
  void isNoticed(Defect defect, String complaint) {
    Faults faults = faults(defect);
    Optional<String> noticed =
        Seeds.any(
            1,
            SEEDS,
            seed -> complaint(seed, faults, defect).filter(said -> said.contains(complaint)));
    assertThat(noticed).as("a run that notices %s", defect).isPresent();
  }

  static Faults faults(Defect defect) {
    return switch (defect) {
      case CLOSE_BY_TIME_ALONE -> SLOW;
      case NO_WATCHDOG, ACT_BEFORE_JOURNAL -> CRASHING;
      case FORGET_TO_HOLD -> CRASHING.withDiskFull(0.1);
      case FORGET_WAITS -> FORGETFUL;
      case FORGET_CORDONS,
          FORGET_SUSPICIONS,
          FORGET_HOST_MEMORY,
          FORGET_OUT_OF_MEMORY,
          FORGET_SHARERS,
          FORGET_NEEDS ->
          KEPT_OFF;
      case NO_CHALLENGE -> REPLAYED;
      case CLOSE_AT_HELLO, IGNORE_NEWER_EPOCHS -> REPLAYED_BEFORE;
      case FOLLOW_CLOCK, BELIEVE_HOST_KEYS, IGNORE_CALL_BACKS -> Faults.none();
      case PLACE_CALLED_BACK -> SLOW;
      // Drawn by each seed: then the database is lost in some.
      case PLACE_UNSETTLED -> null;
      default -> DEADLY;
    };
  }

  static Optional<String> complaint(long seed, Faults faults, Defect defect) {
    try {
      new Simulation(seed, faults, Set.of(defect), new Story(0)).run();
      return Optional.empty();
    } catch (SimulationFailure failure) {
      return Optional.of(failure.getMessage());
    }
  }
}
