package io.stoker.common.message;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import com.fasterxml.jackson.databind.annotation.JsonSerialize;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.stoker.common.json.LargeJson;
import io.stoker.common.state.RequestState;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A message of a dispatcher to an agent. One of a kind that is not known here is read as null. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type", defaultImpl = Void.class)
@JsonSubTypes({
  @JsonSubTypes.Type(value = ToAgent.Welcome.class, name = "welcome"),
  @JsonSubTypes.Type(value = ToAgent.Challenge.class, name = "challenge"),
  @JsonSubTypes.Type(value = ToAgent.Refused.class, name = "refused"),
  @JsonSubTypes.Type(value = ToAgent.Clock.class, name = "clock"),
  @JsonSubTypes.Type(value = ToAgent.Place.class, name = "place"),
  @JsonSubTypes.Type(value = ToAgent.Start.class, name = "start"),
  @JsonSubTypes.Type(value = ToAgent.Cancel.class, name = "cancel"),
  @JsonSubTypes.Type(value = ToAgent.CallBack.class, name = "callBack"),
  @JsonSubTypes.Type(value = ToAgent.Finish.class, name = "finish"),
  @JsonSubTypes.Type(value = ToAgent.SetTimeout.class, name = "setTimeout"),
  @JsonSubTypes.Type(value = ToAgent.Report.class, name = "report"),
  @JsonSubTypes.Type(value = ToAgent.Forget.class, name = "forget"),
  @JsonSubTypes.Type(value = ToAgent.SetPolicy.class, name = "setPolicy"),
  @JsonSubTypes.Type(value = ToAgent.SetDevices.class, name = "setDevices"),
  @JsonSubTypes.Type(value = ToAgent.Pool.class, name = "pool"),
  @JsonSubTypes.Type(value = ToAgent.SetPools.class, name = "setPools"),
  @JsonSubTypes.Type(value = ToAgent.Part.class, name = "part")
})
public sealed interface ToAgent {
  /**
   * The one answer to a hello: the agent may act, in this epoch.
   *
   * @param nonce the hello's
   * @param epoch granted to this start of the agent; rises with each
   * @param at the dispatcher's clock, ms since 1970. It was read after the hello was sent, so
   *     {@code at} + the time since that sending is never before the dispatcher's own now: by this
   *     sum an agent judges {@link Place#notAfter}, whatever its own clock says
   * @param leaseMs how long the agent's right to its attempts outlives a heartbeat
   * @param heartbeatMs time between heartbeats
   * @param inventoryMs time between inventories
   * @param sealedEvents whether records of events may be signed as a whole, with the host's key;
   *     null from a dispatcher that does not know of it, or of no keys
   */
  record Welcome(
      String nonce,
      long epoch,
      long at,
      long leaseMs,
      long heartbeatMs,
      long inventoryMs,
      Boolean sealedEvents)
      implements ToAgent {
    /** By which each event is to be signed. */
    public Welcome(
        String nonce, long epoch, long at, long leaseMs, long heartbeatMs, long inventoryMs) {
      this(nonce, epoch, at, leaseMs, heartbeatMs, inventoryMs, null);
    }
  }

  /**
   * Asks who said hello to say it again with this in {@link HostMessage.Hello#answer}: a hello that
   * was recorded and is sent again cannot. The next one that is welcomed makes it worthless.
   *
   * @param nonce the hello's
   * @param challenge what is to be answered
   */
  record Challenge(String nonce, String challenge) implements ToAgent {}

  /**
   * The host's name is another agent's, which may be alive: the one that said hello is not welcome
   * and should ask again later.
   *
   * @param nonce the hello's
   * @param reason for people: who has the name, and what can be done about it
   * @param retryMs how long to wait before the next hello
   */
  record Refused(String nonce, String reason, long retryMs) implements ToAgent {}

  /**
   * The answer to an inventory, by which the agent corrects its estimate of the dispatcher's clock.
   *
   * @param n the inventory's number
   * @param at as in {@link Welcome#at}
   * @param sealedEvents as in {@link Welcome#sealedEvents}: dispatchers may be replaced by those of
   *     the build before while an epoch lasts
   */
  record Clock(long n, long at, Boolean sealedEvents) implements ToAgent {
    /** By which each event is to be signed. */
    public Clock(long n, long at) {
      this(n, at, null);
    }
  }

  /**
   * Gives an attempt to this host.
   *
   * @param timeoutMs longest run; null for no limit
   * @param priority of its job, higher first
   * @param gang which member of the attempt this host has, where it runs on several hosts at once:
   *     such a member is started by {@link Start} alone; null if the host has all of it
   */
  @JsonSerialize(using = PlaceWriter.class)
  @JsonDeserialize(builder = PlaceForm.class)
  record Place(Grant grant, Given given, Long timeoutMs, int priority, Gang gang, Workload workload)
      implements ToAgent {
    public String job() {
      return grant.job();
    }

    public int attempt() {
      return grant.attempt();
    }

    public String token() {
      return grant.token();
    }

    public long notAfter() {
      return grant.notAfter();
    }

    public String request() {
      return given.request();
    }

    public JsonNode params() {
      return given.params();
    }

    /** What is started for it; nothing for a task of a pool. */
    public Workload.Program program() {
      return workload instanceof Workload.Started started
          ? started.program()
          : Workload.Program.NONE;
    }

    /** How it is held where no CPU slot is free; empty if it is to be given back then. */
    public Optional<Workload.LookAhead> lookAhead() {
      return workload instanceof Workload.Process process ? process.lookAhead() : Optional.empty();
    }

    /** The same attempt as this member of its gang. */
    public Place in(Gang member) {
      return new Place(grant, given, timeoutMs, priority, member, workload);
    }

    /** The same attempt with another longest run; null for no limit. */
    public Place within(Long ms) {
      return new Place(grant, given, ms, priority, gang, workload);
    }
  }

  /**
   * By which an attempt is known.
   *
   * @param job the job's id
   * @param attempt its number, the fencing token: an agent refuses numbers at or below the highest
   *     it journaled for the job
   * @param token base64 of the random key that signs the attempt's events
   * @param notAfter the dispatcher's clock, ms since 1970, after which it must not be accepted
   */
  record Grant(String job, int attempt, String token, long notAfter) {}

  /**
   * What an attempt is given of its job's requests.
   *
   * @param request id of the first one, for {@code STOKER_REQUEST_ID}
   * @param params JSON object for the {@code STOKER_PARAMS} file; a missing node if there is none
   * @param group the group's name, if any
   * @param dependencies ids and results of the dependencies, in order
   */
  record Given(
      String request,
      JsonNode params,
      Optional<String> group,
      List<DependencyResult> dependencies) {
    /** Of no request. */
    public static final Given NOTHING =
        new Given(null, MissingNode.getInstance(), Optional.empty(), List.of());
  }

  /**
   * One of several hosts that have an attempt together.
   *
   * @param rank its number among them, from 0
   * @param size how many there are
   * @param address {@code host:port} where the members are to meet; null from the dispatcher, which
   *     learns it of rank 0. Its agent puts in where it is to be met, the others what {@link Start}
   *     says as soon as it is told
   */
  record Gang(int rank, int size, String address) {
    public Gang at(String where) {
      return new Gang(rank, size, where);
    }
  }

  /**
   * All members of a gang have accepted the attempt: this one is to start. Told again until it
   * runs.
   *
   * @param address {@code host:port} where rank 0 is to be met
   */
  record Start(String job, int attempt, String address) implements ToAgent {}

  /**
   * A dependency's result, for {@code STOKER_DEPENDENCIES}.
   *
   * @param id the request's id
   * @param result its result, null if it has none
   * @param state how it ended, where the dependent waited for anything but a success; else null
   */
  record DependencyResult(
      String id, @JsonDeserialize(using = LargeJson.class) JsonNode result, RequestState state) {}

  /**
   * Ends an attempt; journaled as a floor, so that the attempt is never started afterwards.
   *
   * @param reason for the log and the terminal event
   */
  record Cancel(String job, int attempt, String reason) implements ToAgent {}

  /**
   * Asks for an attempt back that is held behind CPU slots, since it can start sooner elsewhere, or
   * is not to start here any more. Journaled as a floor and reported as RETURNED if it has not
   * begun; else nothing happens. Told again while it is of use.
   */
  record CallBack(String job, int attempt) implements ToAgent {}

  /**
   * What came of an attempt that a person ran. Told again until the attempt has ended.
   *
   * @param result any JSON value, if it succeeded and has one
   * @param failed why it failed; null if it succeeded
   */
  record Finish(String job, int attempt, JsonNode result, String failed) implements ToAgent {}

  /**
   * Changes how long an attempt may run, since another request that shares it waits longer. An
   * agent that does not know of this ends it sooner, which then costs it no retry.
   *
   * @param timeoutMs longest run, from its start; null for no limit
   */
  record SetTimeout(String job, int attempt, Long timeoutMs) implements ToAgent {}

  /** Asks for the current or terminal state of an attempt, to be reported again. */
  record Report(String job, int attempt) implements ToAgent {}

  /** The dispatcher has closed the attempt: its terminal report need not be kept. */
  record Forget(String job, int attempt) implements ToAgent {}

  /**
   * Chooses devices by another policy from now on; what runs keeps its devices. Told again after
   * each welcome; the same again changes nothing.
   *
   * @param policy its name; null goes back to the host's own configuration
   * @param parameters the policy's, by name; the others keep their defaults
   * @param id of the order, which the host {@linkplain HostMessage.SettingAnswer answers}; null if
   *     nobody waits for that
   */
  record SetPolicy(String policy, Map<String, String> parameters, String id) implements ToAgent {}

  /**
   * Offers other devices from now on; what runs keeps its devices. Told again after each welcome;
   * the same again changes nothing.
   *
   * @param devices a device list; blank offers none, null goes back to the host's configuration
   * @param id as of {@link SetPolicy}
   */
  record SetDevices(String devices, String id) implements ToAgent {}

  /**
   * Does something with a pool of workers. An agent that has just started has its pools fresh
   * anyway, so it is not told again.
   *
   * @param id of the control message; the same one twice is one
   * @param pool its name
   * @param action {@code reset}, {@code drain}, {@code discard}, {@code abort} or {@code open}
   */
  record Pool(String id, String pool, String action) implements ToAgent {}

  /**
   * The pools of workers that kinds declare for this host, all of them: it is to have these beside
   * those of its own configuration, which go before one of the same name. What runs in a pool that
   * changes, or goes, ends there. Told again after each welcome; the same again changes nothing.
   *
   * @param generation of the kinds; only rises within an epoch
   */
  record SetPools(long generation, List<WorkerPool> pools) implements ToAgent {}

  /**
   * A part of a message that is too large for one record. Its parts come in order, in records of
   * their own; whoever missed one is told all of them again, as he would be told the message.
   *
   * @param id of the message: the same for each of its parts, and whenever the same is told
   * @param n which one it is, from 0
   * @param of how many there are
   * @param bytes base64 of its piece of the message's JSON
   */
  record Part(String id, int n, int of, String bytes) implements ToAgent {}

  /**
   * A pool of workers that a kind declares. Times in ms.
   *
   * @param name of the pool
   * @param kind that declares it
   * @param command of a worker: program and arguments
   * @param env additional environment of a worker
   * @param workdir work folder, a scratch folder a worker if null
   * @param min workers that are always warm
   * @param max workers at most; 0 = each job is run by a worker of its own
   * @param queue jobs that wait behind the one that a worker runs
   * @param output ends that may be under way to the disk, those at work included
   * @param idleMs after which an idle worker above {@code min} is ended
   * @param startMs how long a worker may take until it is ready
   * @param closeMs how long it may take to end once it was told to
   * @param restart whether a worker that ended unasked is replaced
   * @param gpus of a worker, 0 or 1
   * @param gpuMemory bytes promised to it on a GPU that it shares; null if it has its GPU alone
   * @param cpuSlots that a worker takes while it is warm
   * @param secrets of the host, by the variables of a worker that have their values; null for none
   */
  record WorkerPool(
      String name,
      String kind,
      List<String> command,
      Map<String, String> env,
      String workdir,
      int min,
      int max,
      int queue,
      int output,
      long idleMs,
      long startMs,
      long closeMs,
      boolean restart,
      int gpus,
      Long gpuMemory,
      int cpuSlots,
      Map<String, String> secrets) {}
}
