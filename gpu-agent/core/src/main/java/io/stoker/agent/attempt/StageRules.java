package io.stoker.agent.attempt;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.stoker.agent.attempt.AgentState.Held;
import io.stoker.agent.attempt.Events.Ending;
import io.stoker.agent.attempt.JournalEntry.Accepted;
import io.stoker.agent.attempt.JournalEntry.Staged;
import io.stoker.agent.device.Allocation;
import io.stoker.agent.device.Decision;
import io.stoker.agent.device.Demand;
import io.stoker.agent.device.Device;
import io.stoker.agent.gate.Gate;
import io.stoker.agent.gate.GatePass;
import io.stoker.agent.gate.GatePass.Grant;
import io.stoker.agent.gate.Refusal;
import io.stoker.agent.staged.Said;
import io.stoker.agent.staged.Stage;
import io.stoker.agent.staged.StageMachine;
import io.stoker.agent.staged.Stages;
import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.message.Workload;
import io.stoker.common.state.FailureCategory;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;

/**
 * Decides what follows for staged attempts, which get their devices stage by stage, and at the
 * gates.
 */
final class StageRules {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private static final Ending MADE_WAY =
      Ending.of(
          Outcome.RETURNED,
          "it waits at the gates, with a device for which one waits that has loaded");

  /** Which of several gates is closed may change with each look at the host. */
  private static final long SAID_APART_MS = 10_000;

  private final DecisionContext context;
  private final AgentState state;
  private final StageMachine machine;

  StageRules(DecisionContext context) {
    this.context = context;
    this.state = context.state;
    this.machine = new StageMachine(context.rules.staging().stages());
  }

  /**
   * Takes a placement. It may have to wait here for its start, but not behind too many.
   *
   * @return why it was not taken
   */
  Optional<String> take(Place place, Workload.Staged staged) {
    AttemptKey key = AttemptKey.of(place);
    PendingAttempts pending = new PendingAttempts(state, context.rules);
    Optional<String> no = pending.neverServes(staged.share().gpus()).or(() -> pending.full());
    if (no.isPresent()) {
      return no;
    }
    Allocation given = new Allocation(key.toString(), List.of(), false, OptionalLong.empty(), 0);
    if (staged.share().gpus().count() == 0) {
      Demand slots = Demand.cpus(staged.share().cpuSlots());
      switch (state.allocator.choose(
          state.ledger, key.toString(), slots, Demands.job(place), context.now.bootMs())) {
        case Decision.Refused refused -> {
          return Optional.of(refused.sentence());
        }
        case Decision.Granted granted -> given = granted.allocation();
      }
    }
    context.journal(Accepted.of(place, given, context.now.wallMs(), state.boot));
    LiveAttempt attempt = state.live.get(key);
    context.send(attempt.last(), attempt);
    return Optional.empty();
  }

  /** A command may have been journaled and not given, and an end not been followed by a start. */
  void restarted(LiveAttempt attempt) {
    Stages stages = attempt.stages().orElseThrow();
    if (stages.stage() == Stage.LOADING || stages.stage() == Stage.TRAINING) {
      tell(attempt.key(), stages);
    } else if (stages.stage() == Stage.RENEWING) {
      context.effect(new Effect.Kill(attempt.key(), 0));
    }
  }

  /** A process speaks. */
  void said(AttemptKey key, Said said) {
    LiveAttempt attempt = state.live.get(key);
    if (attempt == null
        || attempt.stages().isEmpty()
        || !(attempt.phase() instanceof Phase.Running)) {
      return;
    }
    follow(attempt, machine.said(attempt.stages().get(), said));
  }

  private void follow(LiveAttempt attempt, StageMachine.Next next) {
    switch (next) {
      case StageMachine.Nothing nothing -> {}
      case StageMachine.Goes goes -> move(attempt.key(), goes.stages(), goes.note());
      case StageMachine.Renews renews -> {
        move(attempt.key(), renews.stages(), renews.note());
        context.effect(new Effect.Kill(attempt.key(), 0));
      }
      case StageMachine.Fails fails -> context.kill(attempt, KillReason.STAGE, fails.reason());
    }
  }

  /**
   * The process has ended.
   *
   * @param plainly how the attempt ends if its stages say nothing else
   */
  void exited(LiveAttempt attempt, RunEnd end, Supplier<Ending> plainly) {
    Stages stages = attempt.stages().orElseThrow();
    if (stages.stage() == Stage.RENEWING) {
      renew(attempt.key(), stages);
      return;
    }
    Ending ending = plainly.get();
    boolean outOfMemory =
        ending.category() == FailureCategory.HOST_OOM
            || ending.category() == FailureCategory.GPU_OOM;
    if (stages.stage() == Stage.LOADING && outOfMemory) {
      switch (machine.endedInLoad(stages, ending.message())) {
        case StageMachine.Renews renews -> renew(attempt.key(), renews.stages());
        case StageMachine.Fails fails -> context.end(attempt, failed(fails.reason(), ending));
        case StageMachine.Next other -> context.end(attempt, ending);
      }
    } else if (ending.exitCode() != null
        && ending.exitCode() == 0
        && !StageMachine.finished(stages)) {
      context.end(
          attempt,
          failed("it ended while %s, before it had trained".formatted(stages.stage()), ending));
    } else if (ending.category() != null) {
      context.end(
          attempt,
          Ending.failed(
              ending.category(),
              "while %s: %s".formatted(stages.stage(), ending.message()),
              ending.exitCode()));
    } else {
      context.end(attempt, ending);
    }
  }

  private static Ending failed(String reason, Ending ending) {
    return Ending.failed(FailureCategory.APP, reason, ending.exitCode());
  }

  private void renew(AttemptKey key, Stages stages) {
    move(key, stages.admitted(), "another process");
    context.start(state.live.get(key));
  }

  /** Gives what can be given now to those who wait. */
  void pass() {
    if (state.onlyOnPools()) {
      return;
    }
    PendingAttempts pending = new PendingAttempts(state, context.rules);
    if (state.stopping || !pending.any() || state.load.isEmpty()) {
      return;
    }
    GatePass.Outcome outcome = pending.decide(state.load.get());
    for (Grant grant : outcome.grants()) {
      grant(pending.attempt(grant.name()), grant);
    }
    outcome.refusals().forEach((name, refusal) -> held(pending.attempt(name), refusal));
    List<LiveAttempt> inTheWay =
        outcome.grants().isEmpty() ? pending.inTheWay(state.load.get()) : List.of();
    if (!inTheWay.isEmpty()) {
      inTheWay.forEach(attempt -> context.end(attempt, MADE_WAY));
      pass();
    }
  }

  private void grant(LiveAttempt attempt, Grant grant) {
    AttemptKey key = attempt.key();
    state.heldBy.remove(key);
    if (grant.step() == GatePass.Step.RUN) {
      state.admitted.add(key);
      context.start(attempt);
      return;
    }
    Stages stages = attempt.stages().orElseThrow();
    switch (grant.step()) {
      case START -> {
        enter(attempt, stages.admitted(), attempt.allocation());
        context.start(state.live.get(key));
      }
      case LOAD -> {
        move(key, stages.loading(), "");
        tell(key, stages.loading());
      }
      case TRAIN -> {
        StageMachine.Next next = machine.mayTrain(stages, grant.device());
        follow(attempt, next);
        if (next instanceof StageMachine.Goes goes) {
          tell(key, goes.stages());
        }
      }
      case RUN -> throw new IllegalStateException(key + " is staged and starts in steps");
    }
  }

  /** Says once why it waits, until the reason is another; one may change each second. */
  private void held(LiveAttempt attempt, Refusal refusal) {
    long now = context.now.bootMs();
    Held said = state.heldBy.get(attempt.key());
    if (said == null || said.gate() != refusal.gate() && now >= said.saidAt() + SAID_APART_MS) {
      state.heldBy.put(attempt.key(), new Held(refusal.gate(), now));
      context.note("%s waits: %s", attempt.key(), refusal.sentence());
      say(attempt.key(), refusal.sentence());
    }
    if (refusal.gate() == Gate.DEVICE || refusal.gate() == Gate.GPU_MEMORY) {
      new PoolRules(context).pressureOnGpus();
    }
  }

  private void move(AttemptKey key, Stages next, String note) {
    LiveAttempt before = state.live.get(key);
    enter(before, next, given(before, next));
    say(key, note);
  }

  private void enter(LiveAttempt before, Stages next, Allocation given) {
    Stages entered = next.after(before.stages().orElseThrow(), context.now.bootMs());
    context.journal(Staged.of(before.key(), entered, given));
  }

  private Allocation given(LiveAttempt attempt, Stages next) {
    Allocation held = attempt.allocation();
    boolean trains = next.stage().trains() && next.device().isPresent();
    if (trains && !held.devices().isEmpty()) {
      return held;
    }
    Workload.Gpus asked = attempt.workload().share().gpus();
    return new Allocation(
        held.holder(),
        next.device().map(List::of).orElse(List.of()),
        trains && !asked.shared(),
        trains
            ? OptionalLong.of(PendingAttempts.cudaMemory(asked, context.rules))
            : OptionalLong.empty(),
        held.cpuSlots());
  }

  /**
   * The stage is told as progress, which everybody who follows the job sees. What has no process
   * yet, staged or not, says why it is held.
   */
  private void say(AttemptKey key, String note) {
    LiveAttempt attempt = state.live.get(key);
    ObjectNode progress = NODES.objectNode();
    progress.put("stage", attempt.stages().map(Stages::stage).orElse(Stage.WAITING).name());
    if (!note.isEmpty()) {
      progress.put("message", note);
    }
    int seq = context.nextSeq(attempt);
    LiveAttempt counted = state.live.get(key);
    boolean runs = attempt.phase() instanceof Phase.Running;
    long at = context.now.wallMs();
    context.send(
        runs
            ? Events.progress(counted, seq, progress, at)
            : Events.held(counted, seq, progress, at),
        attempt);
  }

  private void tell(AttemptKey key, Stages stages) {
    ObjectNode command = NODES.objectNode();
    command.put("v", Said.VERSION);
    command.put("n", stages.command());
    command.put("do", stages.stage() == Stage.LOADING ? "load" : "train");
    if (stages.stage() == Stage.TRAINING) {
      command.put("device", stages.device().map(id -> cuda(id, stages.sees())).orElse("cpu"));
    }
    context.effect(new Effect.Tell(key, command));
  }

  /** As the process counts them: it sees all that were listed when it began. */
  private String cuda(String id, List<String> sees) {
    List<String> now = state.ledger.inventory().devices().stream().map(Device::id).toList();
    return "cuda:" + (sees.isEmpty() ? now : sees).indexOf(id);
  }
}
