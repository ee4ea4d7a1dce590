package io.stoker.agent.attempt;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.agent.device.Condition;
import io.stoker.agent.device.DeviceReading;
import io.stoker.agent.device.Inventory;
import io.stoker.agent.gate.HostLoad;
import io.stoker.agent.pool.Answer;
import io.stoker.agent.staged.Said;
import io.stoker.common.message.PlacementsRecord;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** Everything that can happen to an agent. */
public sealed interface Input {
  /** The agent has started: what its journal holds is looked for among the living. */
  record Restarted() implements Input {}

  /**
   * Where reading of the placements topic begins is known; a hello before would lose the answer.
   *
   * @param next the first offset to read, of a fresh journal
   */
  record PlacementsFrom(long next) implements Input {}

  /** Of a run that an earlier agent left elsewhere certainly nothing is left any more. */
  record LeftoverEnded(AttemptKey key) implements Input {}

  /**
   * A record of the placements topic.
   *
   * @param signed whether it is known to be a dispatcher's by its signature
   */
  record Received(PlacementsRecord record, ReceivedRecord raw, boolean signed) implements Input {
    /** Of whoever may write to the topic. */
    public Received(PlacementsRecord record, ReceivedRecord raw) {
      this(record, raw, false);
    }
  }

  /** A record of the placements topic that cannot be read. */
  record Unreadable(ReceivedRecord raw, String reason) implements Input {}

  /** The first process of a run exists. */
  record Started(RunKey key, RunProcess process) implements Input {}

  /** No process of the run exists, and none will unless it is launched again. */
  record NotStarted(RunKey key, Cause cause, String reason) implements Input {
    /** Why nothing was started of what was to end first. */
    public static final String UNBEGUN = "it was ended before it began";

    /** Of a run that was to end before a process of it was there. */
    public static NotStarted unbegun(RunKey key) {
      return new NotStarted(key, Cause.UNCLAIMED, UNBEGUN);
    }
  }

  /** Why a launch came to nothing. */
  enum Cause {
    /** The program, or its work folder, cannot be used. */
    LAUNCH,
    /** At the last moment the watchdog was gone, or the lease over. */
    REFUSED,
    /** The launch was lost with the agent that asked for it, or revoked. */
    UNCLAIMED
  }

  /**
   * A progress line; again, too, from an agent that reads what one before has read.
   *
   * @param until bytes of the attempt's stdout up to the end of the line; 0 if it did not come from
   *     there
   */
  record Progress(AttemptKey key, JsonNode progress, long until) implements Input {}

  /**
   * An intermediate result; again, too, from an agent that reads what one before has read.
   *
   * @param until bytes of the attempt's stdout up to the end of the line
   */
  record Result(AttemptKey key, JsonNode result, long until) implements Input {}

  /** The broker has these results. */
  record ResultsTaken(List<EventId> events) implements Input {}

  /** An event of an attempt. */
  record EventId(AttemptKey key, int seq) {}

  /** What an ended run had written has been read again, as far as it is there. */
  record Retold(AttemptKey key) implements Input {}

  /** No process of the run is left. */
  record Exited(RunKey key, RunEnd end) implements Input {}

  /** Devices were measured. */
  record Observed(Map<String, DeviceReading> readings) implements Input {}

  /** The host has these devices to give. */
  record DevicesFound(Inventory inventory) implements Input {}

  /** A device list has been used, and these are the devices. */
  record ListUsed(Optional<String> list, Inventory inventory) implements Input {}

  /** A device list cannot be used; what was offered before is offered on. */
  record ListRefused(Optional<String> list, String reason) implements Input {}

  /**
   * What runs and devices take, as measured at about one moment.
   *
   * @param runs by the name of the attempt; what was not seen is left out
   * @param devices by id
   */
  record Sampled(Map<String, RunSample> runs, Map<String, DeviceSample> devices) implements Input {}

  /**
   * A process tree.
   *
   * @param memory bytes resident
   * @param cpuMs CPU time so far, of the processes that there are and of those they waited for
   */
  record RunSample(long memory, long cpuMs) {}

  /**
   * A device.
   *
   * @param gpuPercent how busy it is
   * @param energyMj its counter, which may begin again
   * @param powerMw what it draws
   * @param usedByHolder bytes that the processes of each attempt use on it
   */
  record DeviceSample(
      OptionalInt gpuPercent,
      OptionalLong energyMj,
      OptionalLong powerMw,
      Map<String, Long> usedByHolder) {}

  /**
   * What runs have written, as measured.
   *
   * @param runs by the name of the attempt
   * @param most bytes that each of them may have written as its share of the disk, if limited
   */
  record DiskSampled(Map<String, DiskSample> runs, OptionalLong most) implements Input {}

  /**
   * A run's folder.
   *
   * @param logs bytes of its two outputs
   * @param work bytes of everything else
   */
  record DiskSample(long logs, long work) {
    public long all() {
      return logs + work;
    }
  }

  /** The process of a staged attempt says how a command went. */
  record StageSaid(AttemptKey key, Said said) implements Input {}

  /**
   * A worker of a pool is ready.
   *
   * @param ahead jobs that it can be told besides the one that it runs
   */
  record WorkerReady(WorkerKey key, int ahead) implements Input {}

  /**
   * A worker of a pool has said something of a job.
   *
   * @param n by which the job was given to it
   */
  record WorkerAnswered(WorkerKey key, long n, Answer answer) implements Input {}

  /** The ends of these attempts are on disk, and told. */
  record Delivered(List<AttemptKey> keys) implements Input {}

  /** How the host is. */
  record HostSampled(HostLoad load) implements Input {}

  /**
   * How the devices are, those that are OK left out.
   *
   * @param bad by UUID
   */
  record Judged(Map<String, Condition> bad) implements Input {}

  /**
   * A part of the agent was found to work, or not to.
   *
   * @param trouble for people; empty if it works
   */
  record PartJudged(Part part, Optional<String> trouble) implements Input {}

  /** The devices of an ended run can be given to others. */
  record Cleaned(RunKey key) implements Input {}

  /**
   * The broker has acknowledged a heartbeat.
   *
   * @param sentBootMs when it was handed over for sending, CLOCK_BOOTTIME in ms
   */
  record HeartbeatAcked(long epoch, long sentBootMs) implements Input {}

  /** Time has passed. */
  record Tick() implements Input {}

  /**
   * The agent is asked to stop.
   *
   * @param endJobs whether its jobs end with it
   */
  record StopAsked(boolean endJobs) implements Input {}
}
