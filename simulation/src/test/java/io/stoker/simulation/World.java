package io.stoker.simulation;

import io.smallrye.mutiny.Uni;
import io.stoker.agent.attempt.AgentRules.Staging;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** What everything in a simulation shares: time, chance, faults, and the story so far. */
final class World {
  /** What the virtual clock's 0 is in ms since 1970, by the database's clock. */
  static final long EPOCH = 1_800_000_000_000L;

  final Timeline timeline = new Timeline();
  final Chance chance;

  /** Of what happens to the database's clock alone: what else a seed draws stays as it is. */
  final Chance clockChance;

  /** Of what hosts hold behind their CPU slots alone. */
  final Chance aheadChance;

  /** Whether hosts do in this run. */
  final boolean looksAhead;

  /** Of the loss of the database alone. */
  final Chance lossChance;

  /** Of what agents do alone that other draws do not depend on. */
  final Chance agentChance;

  /** Of whose keys fit alone. */
  final Chance keyChance;

  /** Of what machines and the broker lose alone. */
  final Chance diskChance;

  /** Of pools of workers alone. */
  final Chance poolChance;

  /** Whether hosts have some in this run. */
  final boolean pools;

  /** Of staged jobs, and of gates, alone. */
  final Chance stageChance;

  /** Of groups with a plan alone. */
  final Chance planChance;

  /** Whether somebody makes some in this run. */
  final boolean plans;

  /** By what hosts lead staged jobs through their stages; empty if there are none in this run. */
  final Optional<Staging> staging;

  final Faults faults;
  final Set<Defect> defects;
  final long calmFrom;

  /** Whether agents are of the build that knows no challenges. */
  final boolean formerAgents;

  /** Whether looks at the database take long. */
  final boolean slowLooks;

  /** How many hellos were refused. */
  int refusals;

  /** Requests that somebody has asked to cancel. */
  final Set<String> cancelled = new HashSet<>();

  /** How often the database was put back as it was before. */
  int restores;

  /** How many attempts agents did not hold that said hello, and were left behind. */
  int leftBehind;

  /** Whether somebody has asked for a pool to be reset. */
  boolean poolsReset;

  /** What came up with pools so far. */
  PoolSights poolSights = PoolSights.NONE;

  /** What came up with staged jobs so far. */
  final Map<StageSight, Integer> stageSights = new EnumMap<>(StageSight.class);

  /** What has gone wrong so far, and when. */
  final Coverage coverage = Coverage.none();

  private Function<Optional<String>, Set<Stand>> stands = host -> Set.of();
  private final Story story;
  private Throwable broken;
  private long fingerprint;
  private long databaseAhead;

  World(long seed, Faults faults, Set<Defect> defects, long calmFrom, Story story) {
    this.chance = new Chance(seed);
    this.clockChance = new Chance(~seed);
    this.lossChance = new Chance(seed ^ 0x5eed);
    this.agentChance = new Chance(seed ^ 0x5ea1);
    this.diskChance = new Chance(seed ^ 0x5ed1);
    this.keyChance = new Chance(seed ^ 0xe75);
    this.aheadChance = new Chance(seed ^ 0xa4ead);
    this.looksAhead = aheadChance.is(0.6);
    this.poolChance = new Chance(seed ^ 0x9001);
    // What is broken elsewhere is found in the runs in which it was before there were pools.
    this.pools =
        defects.isEmpty()
            ? poolChance.is(0.4)
            : defects.stream().anyMatch(defect -> defect.place == Defect.Place.POOLS);
    this.stageChance = new Chance(seed ^ 0x57a6e);
    boolean staged =
        defects.isEmpty()
            ? stageChance.is(0.25)
            : defects.stream().anyMatch(defect -> defect.place == Defect.Place.STAGES);
    this.staging = staged ? Optional.of(StagedWorkload.limits(stageChance)) : Optional.empty();
    this.planChance = new Chance(seed ^ 0x91a5);
    this.plans =
        defects.isEmpty()
            ? planChance.is(0.3)
            : defects.stream().anyMatch(defect -> defect.place == Defect.Place.PLANS);
    this.faults =
        faults == null ? Faults.drawn(chance, diskChance, poolChance, stageChance) : faults;
    this.formerAgents = chance.is(this.faults.of(Fault.FORMER_AGENTS));
    if (formerAgents) {
      coverage.strike(Fault.FORMER_AGENTS, EnumSet.allOf(Stand.class));
    }
    this.slowLooks = new Chance(seed ^ 0x510).is(0.3);
    this.defects = defects;
    this.calmFrom = calmFrom;
    this.story = story;
  }

  long now() {
    return timeline.now();
  }

  /** What a clock shows that nobody sets. */
  long databaseNow() {
    return EPOCH + now();
  }

  /** What the database's wall clock shows, which is set now and then. */
  long shownByDatabase() {
    return databaseNow() + databaseAhead;
  }

  /** People, or time servers, set the database's clock: negative for back. */
  void setDatabaseClock(long byMs) {
    note("database", "its clock is set by " + byMs + " ms");
    databaseAhead += byMs;
  }

  /** Whether faults still happen. */
  boolean rough() {
    return now() < calmFrom;
  }

  /** Whether something goes wrong here. */
  boolean fault(Fault kind) {
    return fault(kind, chance, Optional.empty());
  }

  /** Whether something goes wrong here with a host. */
  boolean fault(Fault kind, String host) {
    return fault(kind, chance, Optional.of(host));
  }

  /**
   * Whether something goes wrong here.
   *
   * @param by which chance
   * @param host with which; empty if with none in particular
   */
  boolean fault(Fault kind, Chance by, Optional<String> host) {
    boolean strikes = rough() && by.is(faults.of(kind));
    if (strikes) {
      coverage.strike(kind, stands.apply(host));
    }
    return strikes;
  }

  /** Where all stands, or that which is on a host, is found by this from now on. */
  void stands(Function<Optional<String>, Set<Stand>> look) {
    stands = look;
  }

  /** Something comes up with staged jobs. */
  void sees(StageSight sight) {
    stageSights.merge(sight, 1, Integer::sum);
  }

  boolean has(Defect defect) {
    return defects.contains(defect);
  }

  /** How long a message or reply takes. */
  long delay() {
    return fault(Fault.SLOW) ? chance.between(100, 6_000) : chance.between(1, 12);
  }

  void note(String who, String what) {
    fingerprint = fingerprint * 31 + what.hashCode() + now();
    story.tell(now(), who, what);
  }

  /** Of everything that happened: equal for equal runs. */
  long fingerprint() {
    return fingerprint;
  }

  /** Something failed that no fault explains. */
  void broken(Throwable error) {
    if (broken == null) {
      broken = error;
    }
  }

  /** Checks a rule where it is not the one who breaks it that is to fail. */
  void check(Runnable rule) {
    try {
      rule.run();
    } catch (SimulationFailure failure) {
      broken(failure);
    }
  }

  void check() {
    if (broken instanceof SimulationFailure failure) {
      throw failure;
    }
    if (broken != null) {
      throw new SimulationFailure("unexpected: " + broken, broken);
    }
  }

  /** An answer that comes later, in the life of whoever waits for it. */
  <T> Uni<T> later(long delay, Life life, T answer) {
    return Uni.createFrom()
        .emitter(emitter -> timeline.after(delay, life, () -> emitter.complete(answer)));
  }
}
