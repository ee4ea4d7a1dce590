package io.stoker.dispatcher.scenario;

import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.HostMessage.DeviceInfo;
import io.stoker.common.message.HostMessage.Heartbeat;
import io.stoker.common.message.HostMessage.HeldAttempt;
import io.stoker.common.message.HostMessage.Hello;
import io.stoker.common.message.HostMessage.HostResources;
import io.stoker.common.message.HostMessage.Inventory;
import io.stoker.common.message.HostMessage.PoolOffer;
import io.stoker.common.message.HostMessage.Reserved;
import io.stoker.common.message.HostMessage.RunnerOffer;
import io.stoker.common.message.HostMessage.RunnerState;
import io.stoker.common.message.NodeMachine;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.Holder;
import io.stoker.dispatcher.model.HostDuty;
import io.stoker.dispatcher.model.HostGrant;
import io.stoker.dispatcher.model.HostKey;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.model.Restored;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Builds a host, and what its agent says. */
public final class AHost {
  private Integer lookAhead;
  private final String id;
  private final Map<String, String> labels = new HashMap<>();
  private final List<HeldAttempt> held = new ArrayList<>();
  private final List<PoolOffer> pools = new ArrayList<>();
  private List<RunnerOffer> runners;
  private List<RunnerState> stands;
  private List<String> users;
  private int gpus;
  private List<DeviceInfo> devices;
  private int cpuSlots = 4;
  private Integer stagedWaiting;
  private Long maxOutageMs;
  private Long memory;
  private Long memoryFree;
  private String refuses;
  private long epoch = 1;
  private String nonce = "nonce-1";
  private String journal = "journal";
  private String seat;
  private String answer;
  private Holder holder = Holder.NONE;
  private HostKey key;
  private Restored restored;
  private long beats;
  private HostRow.State state = HostRow.State.UP;
  private boolean cordoned;
  private HostRow.Drain drain;
  private long clock;
  private Reserved reserved = new Reserved(0, 0);

  private AHost(String id) {
    this.id = id;
  }

  /** A host that is up, with 4 CPU slots and no GPU. */
  public static AHost aHost(String id) {
    return new AHost(id);
  }

  public AHost gpus(int count) {
    gpus = count;
    return this;
  }

  /** In place of healthy GPUs. */
  public AHost devices(List<DeviceInfo> instead) {
    devices = instead;
    return this;
  }

  public AHost cpuSlots(int slots) {
    cpuSlots = slots;
    return this;
  }

  /** It offers so much memory, in bytes. */
  public AHost memory(long total) {
    memory = total;
    return this;
  }

  /** So much of its memory could be had when its agent last said, in bytes. */
  public AHost memoryFree(long bytes) {
    memoryFree = bytes;
    return this;
  }

  /** Its journal holds the attempt, which runs and takes so many bytes of memory. */
  public AHost holds(AttemptRow attempt, long bytes) {
    held.add(new HeldAttempt(attempt.job(), attempt.number(), 1, true, null, bytes, null));
    return this;
  }

  /** It takes nothing new for now. */
  public AHost refuses(String why) {
    refuses = why;
    return this;
  }

  /** Its jobs run on for so long while nothing is heard of it. */
  public AHost maxOutage(long ms) {
    maxOutageMs = ms;
    return this;
  }

  /** Its agent holds so many staged jobs that have no GPU yet. */
  public AHost stagedWaiting(int most) {
    stagedWaiting = most;
    return this;
  }

  /** It has a pool of workers that holds so many jobs. */
  public AHost pool(String name, int capacity) {
    pools.add(new PoolOffer(name, capacity, null));
    return this;
  }

  /** It serves this type, so many at once, and only what is said like this. */
  public AHost runner(String type, int slots) {
    runners = runners == null ? new ArrayList<>() : runners;
    runners.add(new RunnerOffer(type, slots));
    return this;
  }

  /** The same, on machines of which the largest has so many GPUs. */
  public AHost runner(String type, int slots, int nodeGpus) {
    runners = runners == null ? new ArrayList<>() : runners;
    runners.add(new RunnerOffer(type, slots, nodeGpus));
    return this;
  }

  /** The same, on these machines. */
  public AHost runner(String type, int slots, NodeMachine... machines) {
    runners = runners == null ? new ArrayList<>() : runners;
    int most = Stream.of(machines).mapToInt(one -> one.gpus().size()).max().orElse(0);
    runners.add(new RunnerOffer(type, slots, most, List.of(machines)));
    return this;
  }

  /** Its last heartbeat gave a type that it serves another number of slots. */
  public AHost nowHas(String type, int slots) {
    stands = List.of(new RunnerState(type, slots, slots));
    return this;
  }

  /** It serves these users alone. */
  public AHost users(String... names) {
    users = List.of(names);
    return this;
  }

  public AHost label(String name, String value) {
    labels.put(name, value);
    return this;
  }

  public AHost epoch(long granted) {
    epoch = granted;
    return this;
  }

  public AHost nonce(String of) {
    nonce = of;
    return this;
  }

  public AHost journal(String id) {
    journal = id;
    return this;
  }

  /** So many heartbeats were sent in its epoch. */
  public AHost beats(long before) {
    beats = before;
    return this;
  }

  /** Its agent sits there, and knows challenges. */
  public AHost seat(String where) {
    seat = where;
    return this;
  }

  /** Its hello answers this. */
  public AHost answers(String challenge) {
    answer = challenge;
    return this;
  }

  public AHost holder(Holder known) {
    holder = known;
    return this;
  }

  /** The database was restored, which asks this of it. */
  public AHost restored(Restored asked) {
    restored = asked;
    return this;
  }

  public AHost state(HostRow.State now) {
    state = now;
    return this;
  }

  public AHost cordoned() {
    cordoned = true;
    return this;
  }

  /** People have said that nothing runs there any more. */
  public AHost saidDead() {
    drain = new HostRow.Drain(null, true);
    return cordoned();
  }

  /** Its agent's lower bound of the dispatcher's clock. */
  public AHost clock(long ms) {
    clock = ms;
    return this;
  }

  public AHost reserves(int ofGpus, int ofSlots) {
    reserved = new Reserved(ofGpus, ofSlots);
    return this;
  }

  /** Its journal holds the attempt, which runs. */
  public AHost holds(AttemptRow attempt) {
    held.add(new HeldAttempt(attempt.job(), attempt.number(), 1, true, null));
    return this;
  }

  /** Its journal holds the attempt, which is on workers that make way for others. */
  public AHost retires(AttemptRow attempt) {
    held.add(new HeldAttempt(attempt.job(), attempt.number(), 1, true, null, null, true));
    return this;
  }

  /** Its journal holds the attempt, which has ended. */
  /** It was told to end the attempt before its placement came. */
  public AHost endedBeforeItBegan(AttemptRow attempt) {
    held.add(
        new HeldAttempt(attempt.job(), attempt.number(), 1, false, Outcome.CANCELLED, null, null));
    return this;
  }

  public AHost holdsEnded(AttemptRow attempt) {
    held.add(new HeldAttempt(attempt.job(), attempt.number(), 1, false, null));
    return this;
  }

  public HostResources resources() {
    List<DeviceInfo> healthy =
        IntStream.range(0, gpus)
            .mapToObj(i -> new DeviceInfo(String.valueOf(i), "GPU-" + i, "fake", 1L << 33, "9.0"))
            .toList();
    return HostResources.of(
        given -> {
          given.devices = devices == null ? healthy : devices;
          given.cpuSlots = cpuSlots;
          given.labels = Map.copyOf(labels);
          given.gpuState = "fake";
          given.stagedWaiting = stagedWaiting;
          given.pools = pools.isEmpty() ? null : List.copyOf(pools);
          given.runners = runners;
          given.users = users;
          given.maxOutageMs = maxOutageMs;
          given.memory = memory;
          given.refuses = refuses;
          given.kindPools = true;
          given.lookAhead = lookAhead;
        });
  }

  /** It holds so many jobs behind its CPU slots. */
  public AHost lookAhead(int most) {
    lookAhead = most;
    return this;
  }

  public AHost key(HostKey now) {
    key = now;
    return this;
  }

  public HostRow row() {
    String reason = cordoned ? "repairs" : null;
    return new HostRow(
        id,
        "default",
        new HostGrant(epoch, nonce, journal, "1", state, 1),
        resources(),
        null,
        new HostDuty(cordoned, reason, drain, List.of()),
        holder,
        restored,
        key);
  }

  /** The same row once its agent has said hello. */
  public HostRow back(HostRow before) {
    HostRow up = row();
    return new HostRow(
        before.id(),
        before.fleet(),
        up.grant(),
        up.resources(),
        before.settings(),
        before.duty(),
        before.holder(),
        before.restored(),
        before.key());
  }

  public Hello hello() {
    return new Hello(
        id,
        nonce,
        journal,
        "default",
        "1",
        "boot",
        resources(),
        List.copyOf(held),
        seat,
        seat == null ? null : "box of " + seat,
        answer,
        null,
        null);
  }

  public Heartbeat heartbeat() {
    return new Heartbeat(
        id,
        epoch,
        ++beats,
        1,
        clock,
        List.copyOf(held),
        reserved,
        List.of(),
        null,
        stands,
        memoryFree,
        null);
  }

  public Inventory inventory() {
    return new Inventory(id, epoch, 1, resources(), List.copyOf(held), null);
  }
}
