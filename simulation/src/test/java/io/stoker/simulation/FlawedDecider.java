package io.stoker.simulation;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.stoker.agent.attempt.AgentDecider;
import io.stoker.agent.attempt.AgentRules;
import io.stoker.agent.attempt.AgentRules.Staging;
import io.stoker.agent.attempt.AgentState;
import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Effect;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.JournalEntry;
import io.stoker.agent.attempt.Now;
import io.stoker.agent.attempt.RunEnd;
import io.stoker.agent.gate.GateRules;
import io.stoker.agent.staged.Said;
import io.stoker.agent.staged.Stage;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.AttemptEvent.Type;
import io.stoker.common.message.PlacementsRecord;
import io.stoker.common.message.ToAgent;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.state.FailureCategory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Stream;

/** An agent's decisions, with one of its rules broken: in what it is told, or in what it does. */
final class FlawedDecider extends AgentDecider {
  private static final long HOUR = 3_600_000;
  private static final String TOKEN = "bm8gdG9rZW4gYXQgYWxs";

  private final World world;
  private final Map<AttemptKey, Effect.Launch> launched = new HashMap<>();
  private final Set<AttemptKey> forgotten = new HashSet<>();

  /** By staged attempt, the number of what it was told last. */
  private final Map<AttemptKey, Integer> commands = new HashMap<>();

  FlawedDecider(AgentRules rules, World world) {
    super(rules.withStaging(staging(rules.staging(), world)));
    this.world = world;
  }

  private static Staging staging(Staging by, World world) {
    GateRules gates = by.gates();
    return new Staging(
        new GateRules(
            world.has(Defect.FORGET_MAX_PROCESS) ? 0 : gates.maxProcess(),
            world.has(Defect.FORGET_MAX_WAITING) ? 0 : gates.maxWaiting(),
            gates.defaultMemory(),
            gates.defaultCudaMemory(),
            gates.allJobs(),
            gates.cpuLimit(),
            gates.memory(),
            gates.cudaMemory()),
        by.stages(),
        by.gpus());
  }

  @Override
  public List<Effect> decide(AgentState state, Input input, Now now) {
    if (world.has(Defect.KEEP_EPOCH) && state.lease().epochLapsed(now.bootMs())) {
      state.lease().acknowledged(state.lease().epoch().getAsLong(), now.bootMs());
    }
    Input told = told(state, input, now);
    List<Effect> done = new ArrayList<>();
    super.decide(state, told, now).forEach(effect -> done.addAll(done(effect)));
    if (told instanceof Input.Restarted && world.has(Defect.FORGET_COMMANDS)) {
      done.removeIf(Effect.Tell.class::isInstance);
    }
    if (told instanceof Input.Received in && world.has(Defect.ACCEPT_AGAIN)) {
      places(in.record()).filter(forgotten::contains).map(launched::get).forEach(done::add);
    }
    return done;
  }

  private static Stream<AttemptKey> places(PlacementsRecord record) {
    return record.messages().stream()
        .filter(Place.class::isInstance)
        .map(message -> key((Place) message));
  }

  // --- what it is told

  private Input told(AgentState state, Input input, Now now) {
    return switch (input) {
      case Input.Received in ->
          new Input.Received(record(state, in.record()), in.raw(), in.signed());
      case Input.Exited in -> new Input.Exited(in.key(), end(in.end()));
      case Input.HeartbeatAcked in when world.has(Defect.COUNT_LEASE_FROM_REPLY) ->
          new Input.HeartbeatAcked(in.epoch(), now.bootMs());
      case Input.StageSaid in
          when world.has(Defect.TAKE_OLDER_ANSWERS) && commands.containsKey(in.key()) ->
          new Input.StageSaid(
              in.key(),
              new Said(
                  in.said().version(),
                  commands.get(in.key()),
                  in.said().what(),
                  in.said().message()));
      default -> input;
    };
  }

  private PlacementsRecord record(AgentState state, PlacementsRecord record) {
    List<ToAgent> messages =
        record.messages().stream().flatMap(message -> messages(state, message)).toList();
    return record.with(messages);
  }

  private Stream<ToAgent> messages(AgentState state, ToAgent message) {
    if (message instanceof Place place) {
      Place taken = world.has(Defect.ACCEPT_LATE) ? later(place) : place;
      boolean starts = world.has(Defect.START_BEFORE_GANG) && place.gang() != null;
      return starts
          ? Stream.of(taken, new ToAgent.Start(place.job(), place.attempt(), "h:1"))
          : Stream.of(taken);
    }
    if (message instanceof ToAgent.Pool asked && world.has(Defect.KEEP_WHAT_WAITS)) {
      boolean closes = List.of("discard", "abort").contains(asked.action());
      return Stream.of(
          new ToAgent.Pool(asked.id(), asked.pool(), closes ? "drain" : asked.action()));
    }
    boolean unheard =
        message instanceof ToAgent.Cancel cancel
                && world.has(Defect.FORGET_EARLY_CANCELS)
                && !state.liveKeys().contains(new AttemptKey(cancel.job(), cancel.attempt()))
            || message instanceof ToAgent.Report && world.has(Defect.IGNORE_REPORTS)
            || message instanceof ToAgent.CallBack && world.has(Defect.IGNORE_CALL_BACKS);
    return unheard ? Stream.empty() : Stream.of(message);
  }

  private static Place later(Place place) {
    try {
      ObjectNode tree = (ObjectNode) Json.tree(place);
      return Json.read(tree.put("notAfter", place.notAfter() + HOUR), Place.class);
    } catch (MalformedJson e) {
      throw new IllegalStateException("a placement that is none", e);
    }
  }

  private RunEnd end(RunEnd end) {
    boolean killed = end.exitCode().orElse(0) > 128;
    if (world.has(Defect.BLAME_JOBS_FOR_KILLS) && killed) {
      return RunEnd.exit(1);
    }
    if (world.has(Defect.BELIEVE_UNSEEN_ENDS) && end.exitCode().isEmpty()) {
      return RunEnd.exit(0);
    }
    if (world.has(Defect.LOSE_RESULTS) && end.exitCode().equals(OptionalInt.of(0))) {
      return new RunEnd(
          end.exitCode(), Optional.empty(), Optional.empty(), end.category(), end.note());
    }
    return end;
  }

  // --- what it does

  private List<Effect> done(Effect effect) {
    return switch (effect) {
      case Effect.Launch launch -> {
        launched.put(key(launch.place()), launch);
        yield List.of(launch);
      }
      case Effect.Journal(JournalEntry.Forgotten entry) -> {
        AttemptKey key = new AttemptKey(entry.job(), entry.attempt());
        if (launched.containsKey(key)) {
          forgotten.add(key);
        }
        yield List.of(effect);
      }
      case Effect.Tell tell -> {
        commands.put(tell.key(), tell.command().path("n").asInt());
        if (world.has(Defect.TRAIN_ON_FIRST_DEVICE)
            && tell.command().path("device").asText().startsWith("cuda:")) {
          ((ObjectNode) tell.command()).put("device", "cuda:0");
        }
        yield List.of(tell);
      }
      case Effect.Journal(JournalEntry.Staged entry)
          when world.has(Defect.KEEP_DEVICES)
              && entry.stage() == Stage.HOLDING
              && entry.trains() > 0 ->
          List.of(new Effect.Journal(onFirst(entry)));
      case Effect.Journal(JournalEntry.Staged entry)
          when world.has(Defect.TRAIN_ON_FIRST_DEVICE) && entry.device() != null ->
          List.of(new Effect.Journal(onFirst(entry)));
      case Effect.SayInventory said when world.has(Defect.NO_INVENTORIES) -> List.of();
      case Effect.Send send -> sent(send);
      default -> List.of(effect);
    };
  }

  /** The same on the first device. */
  private static JournalEntry.Staged onFirst(JournalEntry.Staged entry) {
    return new JournalEntry.Staged(
        entry.job(),
        entry.attempt(),
        entry.stage(),
        entry.command(),
        entry.loads(),
        entry.trains(),
        entry.starts(),
        "0",
        entry.exclusive(),
        entry.memory(),
        entry.times(),
        entry.sees());
  }

  private List<Effect> sent(Effect.Send send) {
    AttemptEvent event = send.event();
    if (world.has(Defect.SIGN_WITH_ANY_TOKEN)) {
      return List.of(new Effect.Send(event, TOKEN, send.mayWait()));
    }
    if (event.type() != Type.ENDED) {
      return List.of(send);
    }
    AttemptKey key = new AttemptKey(event.job(), event.attempt());
    if (world.has(Defect.RUN_RETURNED)
        && event.outcome() == Outcome.RETURNED
        && launched.containsKey(key)) {
      return List.of(send, launched.get(key));
    }
    String why = String.valueOf(event.message());
    if (world.has(Defect.TELL_TRIES_AS_OUT_OF_MEMORY) && why.contains("NumbersExceed: ")) {
      return List.of(
          new Effect.Send(
              as(event, Outcome.FAILED, FailureCategory.GPU_OOM), send.token(), send.mayWait()));
    }
    if (world.has(Defect.SUCCEED_UNTRAINED) && why.contains("before it had trained")) {
      return List.of(
          new Effect.Send(as(event, Outcome.SUCCEEDED, null), send.token(), send.mayWait()));
    }
    if (world.has(Defect.RUNNING_AFTER_END)) {
      return List.of(
          send,
          new Effect.Send(
              as(event, event.attempt(), event.seq() + 1, Type.RUNNING, null), send.token()));
    }
    if (world.has(Defect.END_ANOTHER_ATTEMPT)) {
      return List.of(
          new Effect.Send(
              as(event, event.attempt() + 1, event.seq(), Type.ENDED, event.outcome()),
              send.token()));
    }
    return List.of(send);
  }

  private static AttemptEvent as(AttemptEvent like, Outcome outcome, FailureCategory category) {
    return as(like, like.attempt(), like.seq(), Type.ENDED, outcome, category);
  }

  private static AttemptEvent as(
      AttemptEvent like, int attempt, int seq, Type type, Outcome outcome) {
    return as(like, attempt, seq, type, outcome, like.category());
  }

  private static AttemptEvent as(
      AttemptEvent like,
      int attempt,
      int seq,
      Type type,
      Outcome outcome,
      FailureCategory category) {
    return AttemptEvent.of(like.job(), attempt)
        .seq(seq)
        .type(type)
        .at(like.at())
        .devices(like.devices())
        .startedAt(like.startedAt())
        .outcome(outcome)
        .category(category)
        .message(like.message())
        .exitCode(like.exitCode())
        .result(like.result())
        .usage(like.usage())
        .build();
  }

  private static AttemptKey key(Place place) {
    return new AttemptKey(place.job(), place.attempt());
  }
}
