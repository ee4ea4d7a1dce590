package io.stoker.e2e.simulation;

import io.stoker.agent.attempt.AgentDecider;
import io.stoker.agent.attempt.AgentRules;
import io.stoker.agent.attempt.AgentState;
import io.stoker.agent.attempt.Effect;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.JournalEntry;
import io.stoker.agent.attempt.Lease;
import io.stoker.agent.attempt.Now;
import io.stoker.agent.attempt.Part;
import io.stoker.agent.attempt.ReceivedRecord;
import io.stoker.agent.device.Device;
import io.stoker.agent.device.DeviceBooks;
import io.stoker.agent.device.DeviceType;
import io.stoker.agent.device.Inventory;
import io.stoker.agent.loop.HeldEffects;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.Parts;
import io.stoker.common.message.PlacementsRecord;
import io.stoker.common.message.ToAgent;
import io.stoker.e2e.simulation.Machine.Run;
import io.stoker.e2e.simulation.SimLog.Partition;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/**
 * An agent, from its start to its death: the real decider; what it decides is done one effect after
 * the other, and it may die or be stopped between any two.
 */
final class SimAgent implements Wire {
  private static final long GRACE = 300;
  private static final long HELPERS = 400;
  private static final AgentRules RULES = new AgentRules(1_000, GRACE, 500, 3_600_000, 60_000);

  private final World world;
  private final Machine machine;
  private final Life life;
  private final LongSupplier cutOffUntil;
  private final AgentDecider decider = new AgentDecider(RULES);
  private final AgentState state;
  private final Partition placements;
  private final AgentVoice voice;
  private final SimRunner runner;
  private final Parts parts = new Parts();
  private final List<Input> inputs = new ArrayList<>();
  private final HeldEffects held = new HeldEffects();
  private boolean helplessSaid;
  private OptionalLong wake = OptionalLong.empty();
  private int position;
  private boolean reading;
  private boolean acting;

  SimAgent(World world, SimLog log, Machine machine, Life life, LongSupplier cutOffUntil) {
    this.world = world;
    this.machine = machine;
    this.life = life;
    this.cutOffUntil = cutOffUntil;
    this.placements = log.partitions("placements." + machine.host).get(0);
    String start = machine.name + "-" + Long.toHexString(world.chance.bits());
    state =
        AgentState.replay(
                machine.disk().journal(), books(machine), new Lease(start, machine.deadline()))
            .on(machine.bootId());
    voice = new AgentVoice(world, log, machine, this, state);
    runner = new SimRunner(world, machine, life, this::post);
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

  private static DeviceBooks books(Machine machine) {
    List<Device> devices = new ArrayList<>();
    for (int i = 0; i < machine.gpus; i++) {
      devices.add(
          new Device(
              "" + i, "GPU-" + i, "model", MachineMemory.OF_GPU, DeviceType.GPU, Optional.empty()));
    }
    return DeviceBooks.of(
        new Inventory(
            devices,
            machine.slots,
            Optional.empty(),
            machine.gpus == 0 ? Optional.of("simulated") : Optional.empty(),
            List.of()));
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
    List<Effect> effects = decide(now);
    voice.sendHeldBack();
    if (world.has(Defect.ACT_BEFORE_JOURNAL)) {
      effects = new ArrayList<>(effects);
      effects.sort((a, b) -> Boolean.compare(isJournal(a), isJournal(b)));
    }
    perform(journalable(effects), 0, now);
  }

  /** As AgentLoop, which decides together on what has come, and journals all of it first. */
  private List<Effect> decide(Now now) {
    if (inputs.size() == 1 || world.agentChance.is(0.3)) {
      return decider.decide(state, inputs.remove(0), now);
    }
    List<Effect> together = new ArrayList<>();
    List.copyOf(inputs).forEach(input -> together.addAll(decider.decide(state, input, now)));
    inputs.clear();
    together.sort((a, b) -> Boolean.compare(HeldEffects.isEntry(b), HeldEffects.isEntry(a)));
    return together;
  }

  /** As EffectActions: what cannot be journaled is held, until it can be. */
  private List<Effect> journalable(List<Effect> effects) {
    if (machine.full() && !world.has(Defect.FORGET_TO_HOLD)) {
      if (held.none() && effects.stream().noneMatch(SimAgent::isJournal)) {
        return effects;
      }
      if (held.none()) {
        post(judged(Part.JOURNAL, true));
      }
      return held.hold(effects);
    }
    if (held.none()) {
      return effects;
    }
    post(judged(Part.JOURNAL, false));
    List<Effect> due = new ArrayList<>(held.hold(effects));
    held.all().stream().filter(HeldEffects::isEntry).forEach(due::add);
    due.addAll(held.take());
    return due;
  }

  private void append(JournalEntry entry) {
    if (!machine.full() || !world.has(Defect.FORGET_TO_HOLD)) {
      machine.disk().append(entry);
    }
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
    OptionalLong epoch = state.lease().epoch();
    boolean newer = epoch.isPresent() && record.epoch() > epoch.getAsLong();
    if (!newer || !world.has(Defect.IGNORE_NEWER_EPOCHS)) {
      post(
          new Input.Received(
              offering(together(record)),
              new ReceivedRecord(placements.name(), 0, position, new byte[0], new byte[0])));
    }
    position++;
    reading = false;
    read();
  }

  /** As PlacementsReader. */
  private PlacementsRecord together(PlacementsRecord record) {
    try {
      return parts.whole(record);
    } catch (MalformedJson e) {
      throw new SimulationFailure("parts that make no message: " + e.getMessage(), e);
    }
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
    return new PlacementsRecord(record.v(), record.host(), record.epoch(), messages);
  }

  // --- effects

  private void perform(Effect effect, Now now) {
    switch (effect) {
      case Effect.Journal journal -> append(journal.entry());
      case Effect.Launch launch -> runner.launch(new Run(launch.place(), launch.allocation()));
      case Effect.Adopt adopt -> runner.adoptSoon(adopt);
      // Nothing here has output.
      case Effect.Retell retell -> post(new Input.Retold(retell.key()));
      case Effect.Kill kill -> runner.kill(kill.key(), kill.graceMs());
      case Effect.Send send -> voice.send(send.event(), send.token());
      case Effect.SayHello hello -> voice.hello(hello);
      case Effect.SayHeartbeat beat ->
          voice.heartbeat(
              beat, now, () -> post(new Input.HeartbeatAcked(beat.epoch(), beat.sentBootMs())));
      case Effect.SayInventory inventory -> voice.inventory(inventory);
      case Effect.SayGoodbye goodbye -> voice.goodbye(goodbye);
      case Effect.MoveDeadline move -> machine.moveDeadline(move.bootMs());
      case Effect.Clean clean ->
          postLater(world.chance.between(1, 300), new Input.Cleaned(clean.key()));
      case Effect.FindDevices find ->
          post(new Input.ListRefused(find.list(), "a simulated host has the devices that it has"));
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
}
