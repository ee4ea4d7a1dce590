package io.stoker.agent.device;

import io.stoker.agent.gpu.HealthReading;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The faults of one device, and its condition because of them. Immutable; times are ms of any clock
 * that does not jump.
 *
 * <p>A device that failed is well again once nothing has befallen it for {@link Rules#recovery} and
 * it answers: neither the driver nor the agent needs a restart for that. One that fails {@link
 * Rules#failures} times within {@link Rules#window} stays out until the first of them is that old.
 */
public final class HealthRecord {
  /**
   * What it is judged by.
   *
   * @param recovery ms without a fault after which a device serves again
   * @param failures so many faults within the window put it out for longer
   * @param window ms
   * @param silences so many questions in a row without an answer are a fault
   */
  public record Rules(XidPolicy xids, long recovery, int failures, long window, int silences) {
    public static final Rules DEFAULT = new Rules(XidPolicy.DEFAULT, 60_000, 3, 3_600_000, 3);
  }

  private record Fault(long at, String reason) {}

  /**
   * How often in a row it has not answered.
   *
   * @param reason of the last time; empty if it has answered
   */
  private record Silence(int times, Optional<String> reason) {
    private static final Silence NONE = new Silence(0, Optional.empty());
  }

  private final Rules rules;
  private final List<Fault> faults;
  private final Optional<HealthReading> last;
  private final Silence silence;
  private final Optional<String> leftovers;

  private HealthRecord(
      Rules rules,
      List<Fault> faults,
      Optional<HealthReading> last,
      Silence silence,
      Optional<String> leftovers) {
    this.rules = rules;
    this.faults = faults;
    this.last = last;
    this.silence = silence;
    this.leftovers = leftovers;
  }

  /** A device of which nothing is known. */
  public static HealthRecord fresh(Rules rules) {
    return new HealthRecord(rules, List.of(), Optional.empty(), Silence.NONE, Optional.empty());
  }

  /** The driver reported an Xid; those that are an application's doing change nothing. */
  public HealthRecord xid(long number, long now) {
    return rules.xids().isHarmless(number) ? this : fault("Xid " + number, now);
  }

  /** Something went wrong that makes the device useless for now. */
  public HealthRecord fault(String reason, long now) {
    List<Fault> more =
        new ArrayList<>(
            faults.stream().filter(fault -> now - fault.at() < rules.window()).toList());
    more.add(new Fault(now, reason));
    return new HealthRecord(rules, List.copyOf(more), last, silence, leftovers);
  }

  /** The device has answered. Errors that its memory had before are an old story. */
  public HealthRecord answered(HealthReading reading, long now) {
    HealthRecord next =
        new HealthRecord(rules, faults, Optional.of(reading), Silence.NONE, leftovers);
    OptionalLong errors = reading.uncorrectedErrors();
    long before =
        last.map(HealthReading::uncorrectedErrors).orElse(errors).orElse(errors.orElse(0));
    long more = errors.orElse(before) - before;
    return more > 0 ? next.fault("%d uncorrected memory errors more".formatted(more), now) : next;
  }

  /**
   * The device has not answered.
   *
   * @param certain whether that alone shows that it is of no use, as when it has fallen off the bus
   */
  public HealthRecord silent(String reason, boolean certain, long now) {
    int before = silence.times();
    int times = certain ? Math.max(before + 1, rules.silences()) : before + 1;
    Silence longer = new Silence(times, Optional.of(reason));
    HealthRecord next = new HealthRecord(rules, faults, last, longer, leftovers);
    // A fault at its beginning only: a silence that lasts is one.
    boolean begins = before < rules.silences() && times >= rules.silences();
    return begins ? next.fault(reason, now) : next;
  }

  /** The device does not come free of an ended attempt; empty = it has. */
  public HealthRecord leftovers(Optional<String> of) {
    return new HealthRecord(rules, faults, last, silence, of);
  }

  /** How it is now. */
  public Condition condition(long now) {
    if (last.flatMap(HealthReading::rows).map(rows -> rows.failed()).orElse(false)) {
      return quarantined("a row of its memory could not be replaced: exchange the GPU");
    }
    if (leftovers.isPresent()) {
      return quarantined(leftovers.get());
    }
    List<Fault> recent =
        faults.stream().filter(fault -> now - fault.at() < rules.window()).toList();
    if (recent.size() >= rules.failures()) {
      return quarantined(
          "%d faults within %d min, the last: %s"
              .formatted(recent.size(), rules.window() / 60_000, recent.getLast().reason()));
    }
    if (silence.times() >= rules.silences()) {
      return new Condition(Condition.State.UNHEALTHY, silence.reason().orElseThrow());
    }
    if (!recent.isEmpty() && now - recent.getLast().at() < rules.recovery()) {
      return new Condition(Condition.State.UNHEALTHY, recent.getLast().reason());
    }
    return suspicion()
        .map(reason -> new Condition(Condition.State.SUSPECT, reason))
        .orElse(Condition.OK);
  }

  private static Condition quarantined(String reason) {
    return new Condition(Condition.State.QUARANTINED, reason);
  }

  private Optional<String> suspicion() {
    if (silence.reason().isPresent()) {
      return silence.reason();
    }
    if (last.isEmpty()) {
      return Optional.empty();
    }
    HealthReading reading = last.get();
    if (reading.retirementPending()) {
      return Optional.of("a page of its memory waits for a reset to be taken out of use");
    }
    if (reading.rows().map(rows -> rows.pending()).orElse(false)) {
      return Optional.of("a row of its memory waits for a reset to be replaced");
    }
    return reading
        .clocks()
        .filter(why -> why.hardwareThermal() || why.softwareThermal() || why.powerBrake())
        .map(
            why ->
                why.powerBrake()
                    ? "its clocks are held down: the power supply asks for less"
                    : "its clocks are held down: it is too hot");
  }
}
