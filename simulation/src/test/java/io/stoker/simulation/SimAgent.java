package io.stoker.simulation;

import io.stoker.agent.attempt.AgentDecider;
import io.stoker.agent.attempt.AgentRules;
import io.stoker.agent.attempt.AgentState;
import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.Lease;
import io.stoker.agent.attempt.Now;
import io.stoker.agent.attempt.Part;
import io.stoker.agent.attempt.ReceivedRecord;
import io.stoker.agent.attempt.RunKey;
import io.stoker.agent.attempt.WorkerKey;
import io.stoker.agent.key.AgentKey;
import io.stoker.agent.lease.HostVoice;
import io.stoker.agent.lease.Seat;
import io.stoker.agent.loop.AgentName;
import io.stoker.agent.loop.Coordinator;
import io.stoker.agent.loop.HostFacts;
import io.stoker.agent.loop.Mailbox;
import io.stoker.agent.loop.PlacementRecords;
import io.stoker.agent.loop.Ports;
import io.stoker.agent.loop.RecordSignatures;
import io.stoker.agent.pool.PoolReport;
import io.stoker.agent.pool.PoolStatus;
import io.stoker.agent.report.EventsVoice;
import io.stoker.agent.report.Timer;
import io.stoker.common.json.Json;
import io.stoker.common.message.PlacementsRecord;
import io.stoker.common.message.ToAgent;
import io.stoker.common.security.Macs;
import io.stoker.simulation.SimLog.Partition;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * An agent, from its start to its death: the real coordinator, over ports that fail, driven step by
 * step. It may die or be stopped between any two steps, and within what it writes and says.
 */
final class SimAgent implements Wire, Mailbox {
  private static final long GRACE = 300;
  private static final long HELPERS = 400;
  private static final AgentRules RULES =
      new AgentRules(new AgentRules.Times(1_000, GRACE, 500, 3_600_000, 60_000));

  private static final Set<PoolStatus> SERVE = Set.of(PoolStatus.STARTING, PoolStatus.SERVING);

  private final World world;
  private final Machine machine;
  private final Life life;
  private final LongSupplier cutOffUntil;
  private final AgentState state;
  private final AgentRules rules;
  private final Partition placements;
  private final SimRunner runner;
  private final FlawedLines lines;
  private final FlawedJournal journal;
  private final Coordinator coordinator;
  private final PlacementRecords records;
  private final List<Input> inputs = new ArrayList<>();
  private final List<AttemptKey> ordered = new ArrayList<>();

  /** Pools that were told to give back what waits in them. */
  private final Set<String> emptied = new HashSet<>();

  private final Deque<Runnable> tasks = new ArrayDeque<>();
  private boolean helplessSaid;
  private int position;
  private boolean reading;
  private boolean acting;

  SimAgent(World world, SimLog log, Machine machine, Life life, LongSupplier cutOffUntil) {
    this.world = world;
    this.machine = machine;
    this.life = life;
    this.cutOffUntil = cutOffUntil;
    this.placements = log.partitions("placements." + machine.host).get(0);
    this.rules = world.staging.map(RULES::withStaging).orElse(RULES);
    String bits = Long.toHexString(world.chance.bits());
    String start =
        machine.pools.isEmpty()
            ? machine.name + "-" + (world.has(Defect.ONE_NONCE) ? "" : bits)
            // What it begins with tells workers of one start from those of others.
            : bits + "-" + machine.name;
    machine.disk().rules().staged().done();
    // As an agent that starts ends what is left of the one before it, before anything else.
    machine.workers().clear();
    state =
        AgentState.replay(
                FlawedJournal.read(world, machine),
                machine.ledger(),
                new Lease(start, machine.watchdog().deadline()))
            .on(machine.bootId())
            .lookingAhead(machine.lookAhead)
            .withPools(machine.pools.stream().map(SimPool::settings).toList());
    records = new PlacementRecords(machine.host, RecordSignatures.none(), this::offering);
    journal = new FlawedJournal(world, machine, life, new SimJournal(world, machine, life));
    lines = new FlawedLines(world, this::post);
    runner = new SimRunner(world, machine, life, this::post, lines::hear);
    coordinator =
        new Coordinator(
            world.defects.isEmpty() ? new AgentDecider(rules) : new FlawedDecider(rules, world),
            state,
            facts(),
            ports(new SimOutlets(world, log, machine, this)),
            this);
    OptionalLong journaled = state.nextOffset();
    position = (int) journaled.orElse(placements.end());
    log.follow(placements, life, appended -> read());
    post(new Input.Restarted());
    runner.follow();
    if (journaled.isEmpty()) {
      post(new Input.PlacementsFrom(position));
    }
    read();
    lookAtHelpers();
  }

  private HostFacts facts() {
    return new HostFacts(
        new AgentName(machine.host, Settings.FLEET, "1"),
        machine.bootId(),
        world.has(Defect.ONE_JOURNAL) ? machine.name : machine.disk().journalId(),
        new Seat(world.has(Defect.ONE_SEAT) ? machine.host : machine.seat(), machine.name),
        Map.of(),
        rules.staging().gates().maxWaiting(),
        OptionalLong.of(MachineMemory.OF_HOST));
  }

  private Ports ports(SimOutlets outlets) {
    return new Ports(
        journal,
        new Ports.Host(
            new FlawedRuns(world, machine, runner, lines, this::post),
            at ->
                machine
                    .watchdog()
                    .move(
                        world.has(Defect.LATE_DEADLINE) ? at + Settings.LEASE : at,
                        state.liveKeys()),
            () -> world.note(life.name(), "gives up its spare room"),
            new Ports.Devices(
                (key, devices, clean) ->
                    world.timeline.after(
                        world.has(Defect.CLEAN_AT_ONCE) ? 0 : machine.cleanIn(key),
                        life,
                        () -> alive(clean)),
                (list, inputs) ->
                    inputs.accept(
                        new Input.ListRefused(
                            list, "a simulated host has the devices that it has")),
                List::of)),
        new Ports.Topics(
            outlets.events(),
            new EventsVoice(
                machine.host,
                machine.seals
                    ? AgentKey.of(Macs.hostKey(Settings.HOST_SECRET, machine.host))
                    : AgentKey.none()),
            new HostVoice(
                machine.host,
                AgentKey.none(),
                new FlawedTopics(world).heartbeats(outlets.heartbeats())),
            (record, reason) -> world.note(life.name(), "refuses: " + reason)),
        new Ports.Timers(new Clock(), new Clock()),
        new Ports.Observer(end -> {}, this::note, () -> world.note(life.name(), "stopped")));
  }

  private void note(String sentence) {
    world.note(life.name(), sentence);
    if (sentence.contains(" waits: ")) {
      world.sees(StageSight.HELD);
    }
  }

  /** Time as it passes in the agent's life. */
  private final class Clock implements Timer {
    @Override
    public long nowMs() {
      return world.now();
    }

    @Override
    public void after(long ms, Runnable task) {
      world.timeline.after(ms, life, () -> alive(task));
    }
  }

  /** Does something that may be its death. */
  private void alive(Runnable something) {
    try {
      something.run();
    } catch (Died died) {
      world.note(life.name(), "dies within");
    }
  }

  /** As Helper says it. */
  private void lookAtHelpers() {
    if (machine.helpless() != helplessSaid) {
      helplessSaid = machine.helpless();
      post(judged(Part.SPAWNER, helplessSaid));
    }
    world.timeline.after(HELPERS, life, this::lookAtHelpers);
  }

  private static Input judged(Part part, boolean trouble) {
    return new Input.PartJudged(
        part, trouble ? Optional.of("no " + part + " here") : Optional.empty());
  }

  @Override
  public Life life() {
    return life;
  }

  @Override
  public long cutOffUntil() {
    return cutOffUntil.getAsLong();
  }

  /** Whether it holds nothing, neither devices nor reports; warm workers may. */
  boolean idle() {
    return state.held().isEmpty()
        && state.ledger().allocations().stream()
            .allMatch(given -> RunKey.parse(given.holder()).get() instanceof WorkerKey);
  }

  /** When all is at rest. */
  void checkPools() {
    machine.disk().rules().pools().atRest(state.pools().reports(), machine.workers());
  }

  // --- inputs

  @Override
  public void post(Input input) {
    inputs.add(input);
    world.timeline.after(0, life, this::next);
  }

  @Override
  public void run(Runnable task) {
    tasks.add(task);
    world.timeline.after(0, life, this::next);
  }

  @Override
  public void fail(Throwable why) {
    if (!(why instanceof Died)) {
      world.broken(why);
    }
  }

  private void next() {
    if (acting || (inputs.isEmpty() && tasks.isEmpty())) {
      return;
    }
    acting = true;
    alive(
        () -> {
          if (tasks.isEmpty()) {
            List<Input> come = come();
            ordered.addAll(orders(come));
            told(come, ToAgent.Pool.class)
                .filter(asked -> List.of("discard", "abort").contains(asked.action()))
                .forEach(asked -> emptied.add(asked.pool()));
            coordinator.begin(come, new Now(machine.bootMs(), world.databaseNow() + 5_000));
            goOn();
          } else {
            tasks.poll().run();
            rest();
          }
        });
  }

  /** What it is told to end in its epoch. */
  private List<AttemptKey> orders(List<Input> come) {
    return told(come, ToAgent.Cancel.class)
        .map(cancel -> new AttemptKey(cancel.job(), cancel.attempt()))
        .toList();
  }

  /** What it is told of one kind in its epoch. */
  private <T extends ToAgent> Stream<T> told(List<Input> come, Class<T> kind) {
    return come.stream()
        .filter(Input.Received.class::isInstance)
        .map(input -> ((Input.Received) input).record())
        .filter(record -> state.lease().isEpoch(record.epoch()))
        .flatMap(record -> record.messages().stream())
        .filter(kind::isInstance)
        .map(kind::cast);
  }

  /** As AgentLoop, which has all dealt with together that has come. */
  private List<Input> come() {
    boolean one = inputs.size() == 1 || world.agentChance.is(0.3);
    List<Input> come = one ? List.of(inputs.getFirst()) : List.copyOf(inputs);
    inputs.subList(0, come.size()).clear();
    return come;
  }

  private void goOn() {
    do {
      Died.perhaps(world, life);
      if (life.pausedUntil() > world.now() || world.chance.is(0.02)) {
        world.timeline.after(1, life, () -> alive(this::goOn));
        return;
      }
    } while (coordinator.next());
    journal.settle();
    ordered.forEach(machine.disk().rules()::cancelled);
    ordered.clear();
    tellOfPools();
    machine.disk().rules().staged().done();
    coordinator
        .nextTick()
        .ifPresent(
            at ->
                world.timeline.after(
                    Math.max(1, at - machine.bootMs()), life, () -> post(new Input.Tick())));
    rest();
  }

  /** What a pool that was told to stop has in its queues goes back. */
  private void tellOfPools() {
    PoolRules rules = machine.disk().rules().pools();
    for (PoolReport report : state.pools().reports()) {
      if (SERVE.contains(report.status())) {
        rules.serves(report.name());
      } else if (emptied.contains(report.name())) {
        rules.closes(report.name());
      }
    }
    emptied.clear();
  }

  private void rest() {
    acting = false;
    world.timeline.after(0, life, this::next);
  }

  private void read() {
    if (!reading && position < placements.end()) {
      reading = true;
      long reachable = Math.max(0, cutOffUntil() - world.now());
      world.timeline.after(reachable + world.delay(), life, this::readOne);
    }
  }

  private void readOne() {
    PlacementsRecord record = (PlacementsRecord) placements.at(position).value();
    OptionalLong epoch = state.lease().epoch();
    boolean newer = epoch.isPresent() && record.epoch() > epoch.getAsLong();
    boolean unread =
        newer && world.has(Defect.IGNORE_NEWER_EPOCHS)
            || world.has(Defect.FORGET_PARTS)
                && record.messages().stream().anyMatch(ToAgent.Part.class::isInstance);
    if (!unread) {
      post(
          records.read(
              new ReceivedRecord(placements.name(), 0, position, new byte[0], Json.bytes(record))));
    }
    position++;
    reading = false;
    read();
  }

  /** As Rendezvous. */
  private PlacementsRecord offering(PlacementsRecord record) {
    List<ToAgent> messages =
        record.messages().stream()
            .map(
                message ->
                    message instanceof ToAgent.Place place && place.gang() != null
                        ? place.in(place.gang().at(machine.host + ":1"))
                        : message)
            .toList();
    return record.with(messages);
  }
}
