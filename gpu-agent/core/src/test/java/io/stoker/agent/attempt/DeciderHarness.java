package io.stoker.agent.attempt;

import static io.stoker.common.fixture.APlace.aPlace;

import io.stoker.agent.device.Device;
import io.stoker.agent.device.DeviceLedger;
import io.stoker.agent.device.DeviceReading;
import io.stoker.agent.device.DeviceType;
import io.stoker.agent.device.Inventory;
import io.stoker.agent.pool.PoolSettings;
import io.stoker.agent.staged.Said;
import io.stoker.common.fixture.APlace;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.PlacementsRecord;
import io.stoker.common.message.ToAgent;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.message.ToAgent.Welcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** An agent without its surroundings: feeds a decider, and keeps what it journaled. */
final class DeciderHarness {
  static final long LEASE = 30_000;
  static final long GIB = 1L << 30;
  static final long WALL = 1_000_000;
  static final RunProcess PROCESS = new RunProcess(77, 5, "boot", WALL, 0);

  final List<JournalEntry> journal = new ArrayList<>();
  final AgentDecider decider;
  AgentState state;
  long now = 100_000;
  private List<PoolSettings> pools = List.of();
  private long offset;
  private int starts;
  private String boot = "boot";
  private long maxOutage;
  private int ahead;

  DeciderHarness(int slots) {
    this(Inventory.withoutGpu("a test", slots));
  }

  DeciderHarness(Inventory inventory) {
    this(inventory, AgentRules.standard());
  }

  DeciderHarness(Inventory inventory, AgentRules rules) {
    decider = new AgentDecider(rules);
    state = replay(inventory, 0);
    to(new Input.PlacementsFrom(0));
    to(new Input.Restarted());
  }

  /** From the next start on its jobs run on for so long while the broker cannot be reached. */
  DeciderHarness maxOutage(long ms) {
    maxOutage = ms;
    return this;
  }

  /** With these pools, now and from the next start on. */
  DeciderHarness pools(PoolSettings... settings) {
    pools = List.of(settings);
    state.withPools(pools);
    return this;
  }

  private AgentState replay(Inventory inventory, long deadline) {
    return AgentState.replay(
            journal,
            DeviceLedger.of(inventory),
            new Lease("start-" + ++starts, deadline, maxOutage))
        .on(boot)
        .withPools(pools)
        .lookingAhead(ahead);
  }

  /** It holds so many behind its CPU slots, now and from the next start on. */
  DeciderHarness lookingAhead(int most) {
    ahead = most;
    state.lookingAhead(most);
    return this;
  }

  /** A host with whole GPUs of 16 GiB, all of them free. */
  static Inventory gpus(String... ids) {
    return new Inventory(
        Stream.of(ids)
            .map(
                id ->
                    new Device(
                        id, "uuid-" + id, "Fake", 16 * GIB, DeviceType.GPU, Optional.empty()))
            .toList(),
        1,
        Optional.empty(),
        Optional.empty(),
        List.of());
  }

  /** Measures devices, of which nobody uses anything. */
  List<Effect> free(String... ids) {
    return to(
        new Input.Observed(
            Stream.of(ids)
                .collect(Collectors.toMap(id -> id, id -> new DeviceReading(16 * GIB, Map.of())))));
  }

  /** A placement of a job that the workers of a pool run. */
  Place poolPlace(String job, String pool) {
    return soon(job).pool(pool).build();
  }

  /** A placement on GPUs. */
  Place gpuPlace(String job, int gpus, Long gpuMemory, boolean shared) {
    return soon(job).gpus(gpus).gpuMemory(gpuMemory).shared(shared).build();
  }

  /** A placement of a staged job on a GPU, of 1 GiB there and on the host. */
  Place stagedPlace(String job, String device, boolean shared) {
    return soon(job)
        .gpus(1)
        .gpuMemory(GIB)
        .shared(shared)
        .device(device)
        .staged()
        .memory(GIB)
        .build();
  }

  /** A placement on a GPU of a job that passes the gates. */
  Place gatedPlace(String job, long memory) {
    return soon(job).gpus(1).gated().memory(memory).build();
  }

  /** One that is to be accepted within 10 s. */
  APlace soon(String job) {
    return aPlace(job).notAfter(now + 10_000);
  }

  /** The process of a staged job says how a command went. */
  List<Effect> said(String job, int command, Said.What what) {
    return to(
        new Input.StageSaid(
            key(job, 1), new Said(Said.VERSION, command, what, Optional.of("why"))));
  }

  /** Dies, and starts again from the journal. */
  List<Effect> restart(int slots, long deadline) {
    return restart(Inventory.withoutGpu("a test", slots), deadline);
  }

  /** Loses its power and what was journaled from an entry on, and is started with its machine. */
  List<Effect> reboot(int kept) {
    boot += "-next";
    journal.subList(kept, journal.size()).clear();
    return restart(state.ledger().inventory(), 0);
  }

  List<Effect> restart(Inventory inventory, long deadline) {
    state = replay(inventory, deadline);
    return to(new Input.Restarted());
  }

  List<Effect> to(Input input) {
    List<Effect> effects = decider.decide(state, input, new Now(now, WALL + now));
    effects.forEach(
        effect -> {
          if (effect instanceof Effect.Journal entry) {
            journal.add(entry.entry());
          }
        });
    return effects;
  }

  List<Effect> tell(long epoch, ToAgent... messages) {
    ReceivedRecord raw = new ReceivedRecord("placements", 0, offset++, null, new byte[] {1});
    return to(new Input.Received(new PlacementsRecord("host", epoch, List.of(messages)), raw));
  }

  /** Welcomes it, the dispatcher's clock being the agent's CLOCK_BOOTTIME. */
  DeciderHarness welcomed(long epoch) {
    to(new Input.Tick());
    tell(0, new Welcome(state.lease().nonce(), epoch, now, LEASE, 2_000, 60_000));
    return this;
  }

  /** Welcomes it and lets the lease run. */
  DeciderHarness ready(long epoch) {
    welcomed(epoch);
    to(new Input.HeartbeatAcked(epoch, now));
    return this;
  }

  static AttemptKey key(String job, int attempt) {
    return new AttemptKey(job, attempt);
  }

  Place place(String job, int attempt) {
    return soon(job).attempt(attempt).build();
  }

  Place place(String job, int attempt, long notAfter, Long timeoutMs) {
    return aPlace(job).attempt(attempt).notAfter(notAfter).timeout(timeoutMs).build();
  }

  List<Effect> started(String job, int attempt) {
    return to(new Input.Started(key(job, attempt), new RunProcess(77, 5, "boot", WALL + now, now)));
  }

  List<Effect> exited(String job, int attempt, int code) {
    return to(new Input.Exited(key(job, attempt), RunEnd.exit(code)));
  }

  List<Effect> vanished(String job, int attempt) {
    return to(new Input.Exited(key(job, attempt), RunEnd.unseen()));
  }

  static List<AttemptEvent> sent(List<Effect> effects) {
    return effects.stream()
        .filter(Effect.Send.class::isInstance)
        .map(effect -> ((Effect.Send) effect).event())
        .toList();
  }

  static <E extends Effect> List<E> only(List<Effect> effects, Class<E> type) {
    return effects.stream().filter(type::isInstance).map(type::cast).toList();
  }

  static int indexOf(List<Effect> effects, Class<? extends Effect> type) {
    return IntStream.range(0, effects.size())
        .filter(i -> type.isInstance(effects.get(i)))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + type.getSimpleName() + " in " + effects));
  }
}
