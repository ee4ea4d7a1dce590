package io.stoker.common.message;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.text.PlainText;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * A message of a host about itself on the heartbeats topic, signed with the host's key. Its texts
 * are {@linkplain PlainText plain}, whoever made them.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonSubTypes({
  @JsonSubTypes.Type(value = HostMessage.Hello.class, name = "hello"),
  @JsonSubTypes.Type(value = HostMessage.Heartbeat.class, name = "heartbeat"),
  @JsonSubTypes.Type(value = HostMessage.Inventory.class, name = "inventory"),
  @JsonSubTypes.Type(value = HostMessage.Goodbye.class, name = "goodbye")
})
public sealed interface HostMessage {
  String host();

  /** Its code under the host's key; null if it is not signed. */
  String mac();

  /** Whether it lacks what every message of its type has, whatever build sent it. */
  default boolean lacksSomething() {
    return switch (this) {
      case Heartbeat beat ->
          beat.reserved() == null
              || lacks(beat.held())
              || holdNull(beat.pools(), beat.runners(), beat.telemetry())
              || anyIn(beat.telemetry(), device -> device.id() == null);
      case Hello hello -> lacks(hello.resources()) || lacks(hello.held());
      case Inventory all -> lacks(all.resources()) || lacks(all.held());
      case Goodbye goodbye -> false;
    };
  }

  private static boolean lacks(List<HeldAttempt> held) {
    return held == null || anyIn(held, one -> one == null || one.job() == null);
  }

  private static boolean lacks(HostResources has) {
    return has == null
        || has.devices() == null
        || holdNull(has.devices(), has.pools(), has.runners(), has.users(), has.answers())
        || anyIn(has.pools(), pool -> pool.name() == null)
        || anyIn(has.runners(), HostMessage::lacks);
  }

  private static boolean lacks(RunnerOffer runner) {
    return runner.runner() == null
        || holdNull(runner.machines())
        || anyIn(runner.machines(), one -> one.gpus() == null || holdNull(one.gpus()));
  }

  private static boolean holdNull(List<?>... lists) {
    return Stream.of(lists).anyMatch(list -> anyIn(list, Objects::isNull));
  }

  private static <T> boolean anyIn(List<T> list, Predicate<T> what) {
    return list != null && list.stream().anyMatch(what);
  }

  /**
   * An agent has started and asks for an epoch; repeated until welcomed, acts on nothing before.
   *
   * @param nonce random, one a start
   * @param journal id of the agent's journal; another one tells that the journal was lost
   * @param fleet the fleet it belongs to
   * @param version the agent's version
   * @param bootId the kernel's boot id
   * @param resources what it has to give
   * @param held every attempt of the journal that the dispatcher has not released by {@link
   *     ToAgent.Forget}
   * @param seat names the agent's data folder, as it is on this boot of this machine: the folder's
   *     lock lets one agent at a time have it. null from an agent that knows no {@link
   *     ToAgent.Challenge}
   * @param machine the machine's name, for people; null if it is not known
   * @param answer to the last {@link ToAgent.Challenge} to this nonce; null before the first
   * @param signsOutput whether its chunks on the logs topic are signed, too, where this is; null
   *     from an agent that signs none
   */
  record Hello(
      String host,
      String nonce,
      String journal,
      String fleet,
      String version,
      String bootId,
      HostResources resources,
      List<HeldAttempt> held,
      String seat,
      String machine,
      String answer,
      Boolean signsOutput,
      String mac)
      implements HostMessage {
    public Hello {
      nonce = PlainText.of(nonce);
      journal = PlainText.of(journal);
      fleet = PlainText.of(fleet);
      version = PlainText.of(version);
      bootId = PlainText.of(bootId);
      seat = PlainText.of(seat);
      machine = PlainText.of(machine);
      answer = PlainText.of(answer);
    }

    /** Of an agent that knows no challenges, not signed. */
    public Hello(
        String host,
        String nonce,
        String journal,
        String fleet,
        String version,
        String bootId,
        HostResources resources,
        List<HeldAttempt> held) {
      this(
          host, nonce, journal, fleet, version, bootId, resources, held, null, null, null, null,
          null);
    }
  }

  /**
   * The agent is there. Its lease runs from the sending of the last one that the broker
   * acknowledged.
   *
   * @param epoch the epoch granted
   * @param n rises with each, within the epoch
   * @param at the agent's clock, ms since 1970
   * @param clock the agent's lower bound of the dispatcher's clock, ms since 1970: the last {@link
   *     ToAgent.Welcome#at} plus the time since it was received, hence never ahead. What had a
   *     {@link ToAgent.Place#notAfter} before it can be accepted no more
   * @param held every attempt that the journal holds and that was not released by {@link
   *     ToAgent.Forget}: what is not in it was not accepted, however late its ACCEPTED event
   * @param reserved what is taken beyond open attempts, such as devices being cleaned
   * @param telemetry one entry a device
   * @param pools how its pools of workers are; null from a host without
   * @param runners what it serves, and how much of it is free; null from an agent that does not
   *     tell
   * @param memoryFree bytes of host memory that can be had, by the kernel's account and the limits
   *     of its cgroup; null where that cannot be measured
   */
  record Heartbeat(
      String host,
      long epoch,
      long n,
      long at,
      long clock,
      List<HeldAttempt> held,
      Reserved reserved,
      List<DeviceTelemetry> telemetry,
      List<PoolState> pools,
      List<RunnerState> runners,
      Long memoryFree,
      String mac)
      implements HostMessage {
    /** Of a host without pools, that tells neither what it serves nor of its memory; not signed. */
    public Heartbeat(
        String host,
        long epoch,
        long n,
        long at,
        long clock,
        List<HeldAttempt> held,
        Reserved reserved,
        List<DeviceTelemetry> telemetry) {
      this(host, epoch, n, at, clock, held, reserved, telemetry, null, null, null, null);
    }
  }

  /**
   * Everything the agent has and holds, each minute and at every change of its resources; the
   * dispatcher asks for, or closes, what is missing.
   *
   * @param n rises with each, within the epoch
   * @param resources what it has to give, now
   * @param held as in {@link Hello#held}
   * @param poolsGeneration of the last {@link ToAgent.SetPools} that it was told; null if of none
   *     since its start, or with other devices than it has
   */
  record Inventory(
      String host,
      long epoch,
      long n,
      HostResources resources,
      List<HeldAttempt> held,
      Long poolsGeneration,
      String mac)
      implements HostMessage {
    /** Of an agent that was told of no pools. */
    public Inventory(
        String host,
        long epoch,
        long n,
        HostResources resources,
        List<HeldAttempt> held,
        String mac) {
      this(host, epoch, n, resources, held, null, mac);
    }
  }

  /** The agent stops on purpose and takes nothing until its next hello. */
  record Goodbye(String host, long epoch, String mac) implements HostMessage {}

  /**
   * What a host has to give.
   *
   * @param devices its GPUs, empty for a host without
   * @param cpuSlots CPU jobs at once
   * @param labels for {@code require} and {@code prefer}
   * @param gpuState why there is no GPU, or which driver serves them
   * @param policy by which it chooses devices, null from an agent that has none
   * @param problem why it could not do as it was told, if so
   * @param sharedMemory bytes on each GPU that a shared job is counted with which does not say what
   *     it takes; null if such a job has its GPUs alone
   * @param stagedWaiting how many staged jobs it holds that have no GPU yet; null if it holds none
   * @param pools its pools of workers; null if it has none
   * @param runners what it serves, each as {@code resources.type} names it; null from an agent that
   *     does not tell: {@code cpu} and {@code gpu}
   * @param users whose requests it serves; null for everybody's
   * @param maxOutageMs how long its jobs may run on while nothing is heard of it, if that is longer
   *     than a lease; null if it is not
   * @param memory bytes of host memory that jobs may be promised in all; null from an agent that
   *     does not tell: no limit
   * @param refuses why it takes nothing new for now, with figures; null if it takes jobs
   * @param kindPools whether it can be told of pools that kinds declare, by {@link
   *     ToAgent.SetPools}; null from an agent that cannot
   * @param answers what came of the newest order of each setting; null if none was given
   * @param parts whether it can be told large messages in {@linkplain ToAgent.Part parts}; null
   *     from an agent that cannot
   * @param keeps as whom its processes run, and what they are kept from, for people; null from an
   *     agent that does not tell
   * @param lookAhead CPU jobs that it holds behind its CPU slots at most, and starts by itself;
   *     null from an agent that holds none
   */
  record HostResources(
      List<DeviceInfo> devices,
      int cpuSlots,
      Map<String, String> labels,
      String gpuState,
      String policy,
      String problem,
      Long sharedMemory,
      Integer stagedWaiting,
      List<PoolOffer> pools,
      List<RunnerOffer> runners,
      List<String> users,
      Long maxOutageMs,
      Long memory,
      String refuses,
      Boolean kindPools,
      List<SettingAnswer> answers,
      Boolean parts,
      String keeps,
      Integer lookAhead) {
    /**
     * How long its jobs run on while nothing is heard of it, ms; 0 for no longer than its lease.
     */
    public long outageMs() {
      return maxOutageMs == null ? 0 : maxOutageMs;
    }

    public HostResources {
      labels = PlainText.of(labels);
      gpuState = PlainText.sentence(gpuState);
      policy = PlainText.sentence(policy);
      problem = PlainText.sentence(problem);
      users = PlainText.of(users);
      refuses = PlainText.sentence(refuses);
      keeps = PlainText.sentence(keeps);
    }

    public HostResources(
        List<DeviceInfo> devices, int cpuSlots, Map<String, String> labels, String gpuState) {
      this(
          devices, cpuSlots, labels, gpuState, null, null, null, null, null, null, null, null, null,
          null, null, null, null, null, null);
    }

    /** Of which all that is told is set. */
    public static HostResources of(Consumer<Draft> told) {
      Draft draft = new Draft();
      told.accept(draft);
      return draft.resources();
    }

    /** What a host has to give, in the making; what is not set is not told. */
    public static final class Draft {
      public List<DeviceInfo> devices = List.of();
      public int cpuSlots;
      public Map<String, String> labels = Map.of();
      public String gpuState;
      public String policy;
      public String problem;
      public Long sharedMemory;
      public Integer stagedWaiting;
      public List<PoolOffer> pools;
      public List<RunnerOffer> runners;
      public List<String> users;
      public Long maxOutageMs;
      public Long memory;
      public String refuses;
      public Boolean kindPools;
      public List<SettingAnswer> answers;
      public Boolean parts;
      public String keeps;
      public Integer lookAhead;

      private Draft() {}

      private HostResources resources() {
        return new HostResources(
            devices,
            cpuSlots,
            labels,
            gpuState,
            policy,
            problem,
            sharedMemory,
            stagedWaiting,
            pools,
            runners,
            users,
            maxOutageMs,
            memory,
            refuses,
            kindPools,
            answers,
            parts,
            keeps,
            lookAhead);
      }
    }
  }

  /**
   * What a host made of what people told it.
   *
   * @param setting {@code policy} or {@code devices}
   * @param id of the newest order that it has dealt with
   * @param problem why it could not do as it was told; null if it has
   */
  record SettingAnswer(String setting, String id, String problem) {
    public SettingAnswer {
      id = PlainText.of(id);
      problem = PlainText.sentence(problem);
    }
  }

  /**
   * One GPU.
   *
   * @param id as the host's device list gives it, else the UUID
   * @param uuid the GPU's UUID
   * @param model the product's name
   * @param memory total bytes
   * @param computeCapability such as {@code 9.0}, if known
   * @param state {@code OK}, {@code SUSPECT}, {@code CLEANING}, {@code UNHEALTHY} or {@code
   *     QUARANTINED}; null from an agent that does not tell
   * @param reason why it is not OK, for people
   */
  record DeviceInfo(
      String id,
      String uuid,
      String model,
      long memory,
      String computeCapability,
      String state,
      String reason) {
    public DeviceInfo {
      id = PlainText.of(id);
      uuid = PlainText.of(uuid);
      model = PlainText.of(model);
      computeCapability = PlainText.of(computeCapability);
      state = PlainText.of(state);
      reason = PlainText.sentence(reason);
    }

    public DeviceInfo(String id, String uuid, String model, long memory, String computeCapability) {
      this(id, uuid, model, memory, computeCapability, null, null);
    }
  }

  /**
   * An attempt in the agent's journal.
   *
   * @param seq of its newest event
   * @param running whether it is still to end
   * @param outcome how it ended, if it has
   * @param memory bytes of host memory that it takes, as last measured; null if it was not
   * @param retiring whether workers have it that only end what they have, since the declaration of
   *     their pool has changed: it takes no place of the pool's; null if not
   */
  record HeldAttempt(
      String job,
      int attempt,
      int seq,
      boolean running,
      Outcome outcome,
      Long memory,
      Boolean retiring) {
    public HeldAttempt {
      job = PlainText.of(job);
    }

    /** One whose memory was not measured, and that is on no workers which end. */
    public HeldAttempt(String job, int attempt, int seq, boolean running, Outcome outcome) {
      this(job, attempt, seq, running, outcome, null, null);
    }
  }

  /**
   * What a pool of workers has to give.
   *
   * @param name of the pool
   * @param capacity jobs that it holds at most, as it is
   * @param kind that declares it; null if the host's own configuration does
   */
  record PoolOffer(String name, int capacity, String kind) {
    public PoolOffer {
      name = PlainText.of(name);
      kind = PlainText.of(kind);
    }
  }

  /**
   * A pool of workers. Its counts rise from the beginning of the agent's journal on, and it is idle
   * if it has processed as many as were queued.
   *
   * @param name of the pool
   * @param state {@code STARTING}, {@code SERVING}, {@code CLOSING}, {@code CLOSED} or {@code
   *     FAILED}
   * @param reason why it is not serving, if so
   * @param session rises with each reset, from 1
   * @param capacity jobs that it holds at most, as it is
   * @param workers processes that are up
   * @param busy of them, those at work
   * @param waiting jobs that wait for a worker
   * @param queued jobs it was given
   * @param processed of them, those that have left it, in whatever way
   * @param failed of them, those that failed or were lost with their worker
   * @param delivered of them, those whose end is on the host's disk
   * @param crashes workers that ended without being told to
   * @param queueMs mean time that the last jobs waited for their worker, ms
   * @param runMs mean time that they ran
   * @param deliveryMs mean time until their ends were on disk
   * @param kind that declares it; null if the host's own configuration does
   * @param draining workers that still end what they were given before the pool's declaration
   *     changed; null if there are none
   */
  record PoolState(
      String name,
      String state,
      String reason,
      int session,
      int capacity,
      int workers,
      int busy,
      int waiting,
      long queued,
      long processed,
      long failed,
      long delivered,
      long crashes,
      Double queueMs,
      Double runMs,
      Double deliveryMs,
      String kind,
      Integer draining) {
    public PoolState {
      name = PlainText.of(name);
      reason = PlainText.sentence(reason);
      kind = PlainText.of(kind);
    }
  }

  /**
   * A type of job that a host runs.
   *
   * @param runner as {@code resources.type} names it
   * @param slots jobs at once. Jobs of {@code cpu} and {@code gpu} are counted by the CPU slots and
   *     GPUs that they take
   * @param gpus GPUs that one job may have of the machine that it runs on, where that is not the
   *     host; null if none
   * @param machines the machines with GPUs that jobs are run on, each kind of them once; null if
   *     there are none, and from an agent that does not tell
   */
  record RunnerOffer(String runner, int slots, Integer gpus, List<NodeMachine> machines) {
    public RunnerOffer {
      runner = PlainText.of(runner);
    }

    /** Of an agent that tells of its machines no more than the most GPUs. */
    public RunnerOffer(String runner, int slots, Integer gpus) {
      this(runner, slots, gpus, null);
    }

    /** Of jobs that have no GPUs but the host's. */
    public RunnerOffer(String runner, int slots) {
      this(runner, slots, null);
    }
  }

  /**
   * How far a type of job is run.
   *
   * @param runner as {@code resources.type} names it
   * @param slots jobs at once, as it is now
   * @param free jobs more that it could take now
   */
  record RunnerState(String runner, int slots, int free) {}

  /** What is taken although no open attempt holds it. */
  record Reserved(int gpus, int cpuSlots) {}

  /**
   * A device as last measured; what is not known is null.
   *
   * @param memoryUsed bytes
   * @param gpuUtilization percent
   * @param temperature °C
   * @param power mW
   */
  record DeviceTelemetry(
      String id, Long memoryUsed, Integer gpuUtilization, Integer temperature, Integer power) {
    public DeviceTelemetry {
      id = PlainText.of(id);
    }
  }
}
