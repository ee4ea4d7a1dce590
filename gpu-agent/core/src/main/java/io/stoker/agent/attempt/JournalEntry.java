package io.stoker.agent.attempt;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.stoker.agent.device.Allocation;
import io.stoker.agent.pool.Closing;
import io.stoker.agent.staged.Stage;
import io.stoker.agent.staged.StageTimes;
import io.stoker.agent.staged.Stages;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.message.ToAgent.SetPools;
import java.util.List;
import java.util.Optional;

/**
 * An entry of the journal: what an agent must remember through its own death. The journal holds
 * these in order; {@link AgentState} is what they add up to.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "is")
@JsonSubTypes({
  @JsonSubTypes.Type(value = JournalEntry.Accepted.class, name = "accepted"),
  @JsonSubTypes.Type(value = JournalEntry.Started.class, name = "started"),
  @JsonSubTypes.Type(value = JournalEntry.Admitted.class, name = "admitted"),
  @JsonSubTypes.Type(value = JournalEntry.Staged.class, name = "staged"),
  @JsonSubTypes.Type(value = JournalEntry.Joined.class, name = "joined"),
  @JsonSubTypes.Type(value = JournalEntry.TimeoutSet.class, name = "timeout"),
  @JsonSubTypes.Type(value = JournalEntry.Killing.class, name = "killing"),
  @JsonSubTypes.Type(value = JournalEntry.SeqReserved.class, name = "seq"),
  @JsonSubTypes.Type(value = JournalEntry.Told.class, name = "told"),
  @JsonSubTypes.Type(value = JournalEntry.Ended.class, name = "ended"),
  @JsonSubTypes.Type(value = JournalEntry.Forgotten.class, name = "forgotten"),
  @JsonSubTypes.Type(value = JournalEntry.Floor.class, name = "floor"),
  @JsonSubTypes.Type(value = JournalEntry.PoolKept.class, name = "pool"),
  @JsonSubTypes.Type(value = JournalEntry.PoolsSet.class, name = "pools"),
  @JsonSubTypes.Type(value = JournalEntry.Offset.class, name = "offset")
})
public sealed interface JournalEntry {
  /**
   * An attempt was taken and given its devices.
   *
   * @param place as it came
   * @param devices ids, empty on CPU slots
   * @param exclusive whether the devices are its alone
   * @param cpuSlots slots taken; none if it is held behind them
   * @param memory bytes promised on each device; null = what the placement says
   * @param at ms since 1970
   * @param boot of the machine on which it was; null if an agent of the build before took it
   */
  record Accepted(
      Place place,
      List<String> devices,
      boolean exclusive,
      int cpuSlots,
      Long memory,
      long at,
      String boot)
      implements JournalEntry {
    static Accepted of(Place place, Allocation given, long at, Optional<String> boot) {
      Long memory = given.memory().isPresent() ? given.memory().getAsLong() : null;
      return new Accepted(
          place,
          given.devices(),
          given.exclusive(),
          given.cpuSlots(),
          memory,
          at,
          boot.orElse(null));
    }
  }

  /** It was held behind the CPU slots, has been given its own now, and is about to begin. */
  record Admitted(String job, int attempt, int cpuSlots) implements JournalEntry {}

  /** Its process runs, or a worker of its pool is about to be given it. */
  record Started(String job, int attempt, RunProcess process) implements JournalEntry {}

  /**
   * It has got further. A command to its process is journaled before it is given: it is given again
   * after a restart, and a process does no command twice.
   *
   * @param device on which it trains, null if on none
   * @param exclusive whether the device is its alone
   * @param memory bytes promised on it, null if none
   * @param times null from a build that did not note them
   * @param sees ids of the devices that its process sees; null from such a build
   */
  record Staged(
      String job,
      int attempt,
      Stage stage,
      int command,
      int loads,
      int trains,
      int starts,
      String device,
      boolean exclusive,
      Long memory,
      StageTimes times,
      List<String> sees)
      implements JournalEntry {
    static Staged of(AttemptKey key, Stages stages, Allocation given) {
      return new Staged(
          key.job(),
          key.attempt(),
          stages.stage(),
          stages.command(),
          stages.loads(),
          stages.trains(),
          stages.starts(),
          stages.device().orElse(null),
          given.exclusive(),
          given.memory().isPresent() ? given.memory().getAsLong() : null,
          stages.times(),
          stages.sees());
    }

    Stages stages() {
      return new Stages(
          stage, command, loads, trains, starts, Optional.ofNullable(device), times, sees);
    }
  }

  /**
   * Its gang is complete: it may start.
   *
   * @param address where rank 0 is to be met
   */
  record Joined(String job, int attempt, String address) implements JournalEntry {}

  /**
   * It may run longer than it was to when it was accepted.
   *
   * @param timeoutMs from its start; null for no limit
   */
  record TimeoutSet(String job, int attempt, Long timeoutMs) implements JournalEntry {}

  /** It is to be killed, also after a restart. */
  record Killing(String job, int attempt, KillReason reason, String message)
      implements JournalEntry {}

  /** Events up to this number may have been sent. */
  record SeqReserved(String job, int attempt, int upTo) implements JournalEntry {}

  /**
   * A line of its output becomes an event. The next agent, which reads the output again, makes no
   * other of it.
   *
   * @param what PROGRESS or RESULT
   * @param seq of the event
   * @param at of the event, ms since 1970
   * @param until bytes of its stdout up to the end of the line
   * @param taken the broker has all results whose lines end here or before
   */
  record Told(
      String job, int attempt, AttemptEvent.Type what, int seq, long at, long until, long taken)
      implements JournalEntry {}

  /**
   * It has ended; also the floor for RETURNED and for a cancel of what never came.
   *
   * @param report the terminal event, unsigned
   * @param token that signs it; null if the placement never came
   * @param notAfter of its placement, by the dispatcher's clock, or when one that never came has
   *     surely expired
   * @param request whose output is told again by the next agent, as far as the broker may not have
   *     it; null if there is none on this host
   */
  record Ended(AttemptEvent report, String token, long notAfter, String request)
      implements JournalEntry {}

  /** The dispatcher has closed it: its report need not be kept. */
  record Forgotten(String job, int attempt) implements JournalEntry {}

  /**
   * Attempts of the job up to this number are refused.
   *
   * @param until the dispatcher's clock after which none of them could be accepted anyway
   */
  record Floor(String job, int attempt, long until) implements JournalEntry {}

  /**
   * How a pool of workers is; each of its jobs that ends from here on counts besides.
   *
   * @param closing as it was told, null if it is open
   */
  record PoolKept(
      String pool, int session, Closing closing, long processed, long failed, long crashes)
      implements JournalEntry {}

  /** The pools that kinds declare here, all of them. */
  record PoolsSet(SetPools set) implements JournalEntry {}

  /**
   * Placements before this offset have been dealt with.
   *
   * @param signed whether dispatchers are known to sign them: then this holds for ever; null if
   *     that is not said here
   */
  record Offset(long next, Boolean signed) implements JournalEntry {
    public Offset(long next) {
      this(next, null);
    }
  }
}
