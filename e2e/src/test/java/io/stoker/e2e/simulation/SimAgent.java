package io.stoker.e2e.simulation;

import io.stoker.agent.attempt.AgentDecider;
import io.stoker.agent.attempt.AgentRules;
import io.stoker.agent.attempt.AgentState;
import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Effect;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.Input.Cause;
import io.stoker.agent.attempt.Now;
import io.stoker.agent.attempt.ReceivedRecord;
import io.stoker.agent.attempt.RunEnd;
import io.stoker.agent.device.Device;
import io.stoker.agent.device.DeviceBooks;
import io.stoker.agent.device.DeviceType;
import io.stoker.agent.device.Inventory;
import io.stoker.agent.lease.Lease;
import io.stoker.common.json.Json;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.HostMessage;
import io.stoker.common.message.HostMessage.DeviceInfo;
import io.stoker.common.message.HostMessage.HostResources;
import io.stoker.common.message.PlacementsRecord;
import io.stoker.common.message.ToAgent;
import io.stoker.common.security.Macs;
import io.stoker.dispatcher.attempt.AttemptReport;
import io.stoker.e2e.simulation.Machine.Run;
import io.stoker.e2e.simulation.Machine.Stage;
import io.stoker.e2e.simulation.SimLog.Partition;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/**
 * An agent, from its start to its death: the real decider; what it decides is done one effect after
 * the other, and it may die or be stopped between any two.
 */
final class SimAgent implements Wire {
  private static final long GRACE = 300;
  private static final AgentRules RULES = new AgentRules(1_000, GRACE, 500, 3_600_000, 60_000);

  private final World world;
  private final SimLog log;
  private final Machine machine;
  private final Life life;
  private final LongSupplier cutOffUntil;
  private final AgentDecider decider = new AgentDecider(RULES);
  private final AgentState state;
  private final Partition placements;
  private final List<Input> inputs = new ArrayList<>();
  private OptionalLong wake = OptionalLong.empty();
  private int position;
  private boolean reading;
  private boolean acting;

  SimAgent(World world, SimLog log, Machine machine, Life life, LongSupplier cutOffUntil) {
    this.world = world;
    this.log = log;
    this.machine = machine;
    this.life = life;
    this.cutOffUntil = cutOffUntil;
    this.placements = log.partitions("placements." + machine.name).get(0);
    String start = machine.name + "-" + Long.toHexString(world.chance.bits());
    state =
        AgentState.replay(machine.journal(), books(machine), new Lease(start, machine.deadline()));
    machine.listen(this::processEnded);
    OptionalLong journaled = state.nextOffset();
    position = (int) journaled.orElse(placements.end());
    log.follow(placements, life, appended -> read());
    post(new Input.Restarted());
    if (journaled.isEmpty()) {
      post(new Input.PlacementsFrom(position));
    }
    read();
  }

  private static DeviceBooks books(Machine machine) {
    List<Device> devices = new ArrayList<>();
    for (int i = 0; i < machine.gpus; i++) {
      devices.add(
          new Device("" + i, "GPU-" + i, "model", 1L << 34, DeviceType.GPU, Optional.empty()));
    }
    return DeviceBooks.of(
        new Inventory(
            devices,
            machine.slots,
            Optional.empty(),
            machine.gpus == 0 ? Optional.of("simulated") : Optional.empty(),
            List.of()));
  }

  private HostResources resources() {
    List<DeviceInfo> devices = new ArrayList<>();
    for (int i = 0; i < machine.gpus; i++) {
      devices.add(new DeviceInfo("" + i, "GPU-" + i, "model", 1L << 34, null));
    }
    return new HostResources(devices, machine.slots, Map.of(), null);
  }

  @Override
  public Life life() {
    return life;
  }

  @Override
  public long cutOffUntil() {
    return cutOffUntil.getAsLong();
  }

  /** Whether it holds nothing, neither devices nor reports. */
  boolean idle() {
    return state.held().isEmpty() && state.books().allocations().isEmpty();
  }

  // --- inputs

  private void post(Input input) {
    inputs.add(input);
    world.timeline.after(0, life, this::next);
  }

  private void postLater(long delay, Input input) {
    world.timeline.after(delay, life, () -> post(input));
  }

  private void next() {
    if (acting || inputs.isEmpty()) {
      return;
    }
    acting = true;
    Now now = new Now(machine.bootMs(), world.databaseNow() + 5_000);
    List<Effect> effects = decider.decide(state, inputs.remove(0), now);
    if (world.has(Defect.ACT_BEFORE_JOURNAL)) {
      effects = new ArrayList<>(effects);
      effects.sort((a, b) -> Boolean.compare(isJournal(a), isJournal(b)));
    }
    perform(effects, 0, now);
  }

  private static boolean isJournal(Effect effect) {
    return effect instanceof Effect.Journal;
  }

  private void perform(List<Effect> effects, int from, Now now) {
    for (int i = from; i < effects.size(); i++) {
      if (Mortality.dies(world, life)) {
        return;
      }
      perform(effects.get(i), now);
      if (life.pausedUntil() > world.now() || world.chance.is(0.02)) {
        int rest = i + 1;
        world.timeline.after(1, life, () -> perform(effects, rest, now));
        return;
      }
    }
    acting = false;
    scheduleTick();
    world.timeline.after(0, life, this::next);
  }

  private void scheduleTick() {
    OptionalLong due = decider.nextTick(state);
    if (due.isEmpty() || (wake.isPresent() && wake.getAsLong() <= due.getAsLong())) {
      return;
    }
    wake = due;
    long delay = Math.max(1, due.getAsLong() - machine.bootMs());
    world.timeline.after(
        delay,
        life,
        () -> {
          wake = OptionalLong.empty();
          post(new Input.Tick());
        });
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
    post(
        new Input.Received(
            offering(record),
            new ReceivedRecord(placements.name(), 0, position, new byte[0], new byte[0])));
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
                        ? place.in(place.gang().at(machine.name + ":1"))
                        : message)
            .toList();
    return new PlacementsRecord(record.v(), record.host(), record.epoch(), messages);
  }

  // --- effects

  private void perform(Effect effect, Now now) {
    switch (effect) {
      case Effect.Journal journal -> machine.append(journal.entry());
      case Effect.Launch launch -> launch(new Run(launch.place(), launch.allocation()));
      case Effect.Adopt adopt ->
          world.timeline.after(
              world.chance.between(1, 30),
              life,
              () -> adopt(new AttemptKey(adopt.place().job(), adopt.place().attempt()), adopt));
      // Nothing here has output.
      case Effect.Retell retell -> post(new Input.Retold(retell.key()));
      case Effect.Kill kill -> kill(kill.key(), kill.graceMs());
      case Effect.Send send -> send(send.event(), send.token());
      case Effect.SayHello hello -> say(hello(hello.nonce()));
      case Effect.SayHeartbeat beat -> heartbeat(beat, now);
      case Effect.SayInventory inventory ->
          say(
              new HostMessage.Inventory(
                  machine.name, inventory.epoch(), inventory.n(), resources(), state.held(), null));
      case Effect.SayGoodbye goodbye ->
          say(new HostMessage.Goodbye(machine.name, goodbye.epoch(), null));
      case Effect.MoveDeadline move -> machine.moveDeadline(move.bootMs());
      case Effect.Clean clean ->
          postLater(world.chance.between(1, 300), new Input.Cleaned(clean.key()));
      case Effect.FindDevices find ->
          post(new Input.DevicesRefused("a simulated host has the devices that it has"));
      case Effect.RemoveRun remove -> machine.runs.remove(remove.key());
      case Effect.DeadLetter letter -> world.note(life.name(), "refuses: " + letter.reason());
      case Effect.Note note -> world.note(life.name(), note.sentence());
      case Effect.Tell tell -> throw new IllegalStateException("no job here is staged");
      case Effect.CloseLog close -> throw new IllegalStateException("no job here is staged");
      case Effect.StartWorker start -> throw new IllegalStateException("no pool is here");
      case Effect.TellWorker tell -> throw new IllegalStateException("no pool is here");
      case Effect.AwaitDelivery await -> throw new IllegalStateException("no pool is here");
      case Effect.Stopped stopped -> world.note(life.name(), "stopped");
    }
  }

  private HostMessage hello(String nonce) {
    return new HostMessage.Hello(
        machine.name,
        nonce,
        machine.journalId(),
        Settings.FLEET,
        "1",
        machine.bootId(),
        resources(),
        state.held(),
        null);
  }

  private void say(HostMessage message) {
    log.sendOnce(this, "heartbeats", machine.name, message)
        .subscribe()
        .with(d -> {}, world::broken);
  }

  private void heartbeat(Effect.SayHeartbeat beat, Now now) {
    HostMessage message =
        new HostMessage.Heartbeat(
            machine.name,
            beat.epoch(),
            beat.n(),
            now.wallMs(),
            state.lease().dispatcherAtLeast(now.bootMs()).orElse(0),
            state.held(),
            state.reserved(),
            List.of(),
            null);
    log.sendOnce(this, "heartbeats", machine.name, message)
        .subscribe()
        .with(
            done -> post(new Input.HeartbeatAcked(beat.epoch(), beat.sentBootMs())), world::broken);
  }

  private void send(AttemptEvent event, String token) {
    if (event.type() == AttemptEvent.Type.ENDED) {
      machine.sync();
    }
    world.note(
        life.name(),
        "says "
            + event.type()
            + " "
            + event.outcome()
            + " of "
            + event.job()
            + "-"
            + event.attempt()
            + " seq "
            + event.seq());
    AttemptEvent signed = event.signed(Macs.sign(Base64.getDecoder().decode(token), event));
    AttemptReport report = new AttemptReport(machine.name, signed, Json.tree(signed));
    log.send(this, "events", event.job(), report).subscribe().with(d -> {}, world::broken);
  }

  // --- the runner

  private void launch(Run run) {
    AttemptKey key = Machine.key(run);
    Run before = machine.runs.get(key);
    if (before != null && before.stage != Stage.REVOKED) {
      adopt(key, new Effect.Adopt(run.place, Optional.empty(), 1));
      return;
    }
    machine.launch(
        run,
        allowed -> {
          if (allowed) {
            tell(() -> post(new Input.Started(key, run.process.orElseThrow())));
          } else {
            tell(() -> post(new Input.NotStarted(key, Cause.REFUSED, "the lease is over")));
          }
        });
  }

  /** The launcher's and the kernel's answers reach the agent that lives then, a moment later. */
  private void tell(Runnable answer) {
    world.timeline.after(world.chance.between(0, 20), life, answer);
  }

  private void adopt(AttemptKey key, Effect.Adopt adopt) {
    Run run = machine.runs.get(key);
    boolean otherBoot =
        adopt.process().isPresent() && !adopt.process().get().bootId().equals(machine.bootId());
    if (run == null || otherBoot) {
      if (adopt.process().isPresent()) {
        post(new Input.Exited(key, run == null ? RunEnd.unseen() : run.end));
      } else {
        post(new Input.NotStarted(key, Cause.UNCLAIMED, "its launch was lost"));
      }
      return;
    }
    switch (run.stage) {
      case ASKED, REVOKED -> {
        machine.revoke(key);
        post(new Input.NotStarted(key, Cause.UNCLAIMED, "its launch was lost"));
      }
      case ALIVE -> post(new Input.Started(key, run.process.orElseThrow()));
      case ENDED -> {
        post(new Input.Started(key, run.process.orElseThrow()));
        post(new Input.Exited(key, run.end));
      }
    }
  }

  private void kill(AttemptKey key, long grace) {
    if (machine.revoke(key)) {
      post(new Input.NotStarted(key, Cause.UNCLAIMED, "it was ended before it began"));
      return;
    }
    Run run = machine.runs.get(key);
    world.timeline.after(
        world.chance.between(1, (int) Math.max(50, grace)),
        life,
        () -> machine.end(run, RunEnd.exit(143)));
  }

  private void processEnded(AttemptKey key) {
    tell(
        () -> {
          Run run = machine.runs.get(key);
          if (run != null) {
            post(new Input.Exited(key, run.end));
          }
        });
  }
}
