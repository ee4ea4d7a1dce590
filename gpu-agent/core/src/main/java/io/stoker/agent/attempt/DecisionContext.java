package io.stoker.agent.attempt;

import io.stoker.agent.attempt.JournalEntry.Ended;
import io.stoker.agent.attempt.JournalEntry.Forgotten;
import io.stoker.agent.attempt.JournalEntry.Killing;
import io.stoker.agent.attempt.JournalEntry.SeqReserved;
import io.stoker.agent.attempt.JournalEntry.Staged;
import io.stoker.agent.device.Allocation;
import io.stoker.agent.device.Device;
import io.stoker.agent.staged.Stage;
import io.stoker.agent.staged.Stages;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.AttemptEvent.Type;
import io.stoker.common.message.AttemptEvent.Usage;
import io.stoker.common.message.AttemptEvent.Warning;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.message.Workload;
import java.util.ArrayList;
import java.util.List;

/** One decision in the making: what the rules share. */
final class DecisionContext {
  final AgentState state;
  final AgentRules rules;
  final Now now;
  private final List<Effect> effects = new ArrayList<>();

  DecisionContext(AgentState state, AgentRules rules, Now now) {
    this.state = state;
    this.rules = rules;
    this.now = now;
  }

  List<Effect> effects() {
    return effects;
  }

  void effect(Effect effect) {
    effects.add(effect);
  }

  void note(String sentence, Object... details) {
    effects.add(new Effect.Note(sentence.formatted(details)));
  }

  void journal(JournalEntry entry) {
    state.apply(entry);
    effects.add(new Effect.Journal(entry));
  }

  /** The next event number of an attempt; it is journaled before it can be used. */
  int nextSeq(LiveAttempt attempt) {
    int seq = attempt.seq() + 1;
    AttemptKey key = attempt.key();
    if (seq > attempt.said().reservedSeq()) {
      int upTo = attempt.said().reservedSeq() + LiveAttempt.SEQ_BLOCK;
      journal(new SeqReserved(key.job(), key.attempt(), upTo));
    }
    state.live.computeIfPresent(key, (same, a) -> a.counted(seq));
    return seq;
  }

  void send(AttemptEvent event, LiveAttempt attempt) {
    boolean step = event.type() == Type.ACCEPTED || event.type() == Type.RUNNING;
    boolean mayWait = step && isHeldBack(attempt.place());
    effects.add(new Effect.Send(event, attempt.place().token(), mayWait));
  }

  /**
   * Whether a step of it is told only if its end does not come soon: nobody waits for that of a
   * process or a task that starts at once. What is held at gates or for a gang tells people why,
   * and what a person runs is to be seen.
   */
  private boolean isHeldBack(Place place) {
    return switch (place.workload()) {
      case Workload.PoolTask task -> true;
      case Workload.Process process -> place.gang() == null && !PendingAttempts.gated(place, rules);
      case Workload.Started other -> false;
    };
  }

  /** Tells people of what is not as it should be with a running attempt, or is so no more. */
  void warn(LiveAttempt attempt, Warning of, String sentence) {
    note("%s: %s", attempt.key(), sentence);
    int seq = nextSeq(attempt);
    send(Events.warning(attempt, seq, of, sentence, now.wallMs()), attempt);
  }

  /** Ends an attempt of which no process is left. */
  void end(LiveAttempt attempt, Events.Ending ending) {
    if (attempt.workload() instanceof Workload.PoolTask task
        && attempt.phase() instanceof Phase.Waiting) {
      new PoolRules(this).neverOffered(task, ending.outcome());
    }
    Usage usage = state.usage.of(attempt, state.ledger.inventory(), now.bootMs());
    AttemptEvent report = Events.ended(attempt, ending, usage, now);
    String request = attempt.onPool() ? null : attempt.place().request();
    journal(new Ended(report, attempt.place().token(), attempt.place().notAfter(), request));
    send(report, attempt);
    clean(attempt);
    if (attempt.stages().isPresent()) {
      effect(new Effect.CloseLog(attempt.key()));
    }
    if (attempt.phase() instanceof Phase.Waiting) {
      return;
    }
    var next = state.afterKill.remove(attempt.place().job());
    if (next != null) {
      new PlacementRules(this).place(next);
    }
  }

  /** GPUs stay taken until they are seen to be free of what ran on them. */
  private void clean(LiveAttempt attempt) {
    if (attempt.allocation().devices().isEmpty() || attempt.phase() instanceof Phase.Waiting) {
      return;
    }
    state.ledger = state.ledger.keep(attempt.allocation());
    state.cleaning.put(attempt.key(), attempt.allocation());
    effects.add(new Effect.Clean(attempt.key(), attempt.allocation().devices()));
  }

  /** Drops the report of an ended attempt, with what that left on disk. */
  void forget(AttemptKey key) {
    KeptReport kept = state.reports.get(key);
    if (kept == null) {
      return;
    }
    journal(new Forgotten(key.job(), key.attempt()));
    if (kept.leaves()) {
      effects.add(new Effect.RemoveRun(key));
    }
  }

  /** Ends an attempt whatever it does now; the first reason counts. */
  void kill(LiveAttempt attempt, KillReason reason, String message) {
    AttemptKey key = attempt.key();
    switch (attempt.phase()) {
      case Phase.Waiting waiting -> end(attempt, endOfUnstarted(reason, message));
      case Phase.Ending ending -> {}
      default -> {
        journal(new Killing(key.job(), key.attempt(), reason, message));
        if (attempt.workload() instanceof Workload.PoolTask task) {
          new PoolRules(this).remove(state.live.get(key), task);
          return;
        }
        effects.add(new Effect.Kill(key, reason.graceful() ? rules.times().grace() : 0));
      }
    }
  }

  static Events.Ending endOfUnstarted(KillReason reason, String message) {
    return Events.Ending.of(
        reason == KillReason.CANCEL ? Outcome.CANCELLED : Outcome.RETURNED, message);
  }

  /** Starts what has been accepted, as far as the lease allows it. */
  void startWaiting() {
    if (!state.lease.mayStart(now.bootMs()) || state.stopping) {
      return;
    }
    for (LiveAttempt attempt : List.copyOf(state.live.values())) {
      start(attempt);
    }
  }

  /** A staged process sees all devices, and is told later which of them is its. */
  private LiveAttempt seeingAll(LiveAttempt attempt, Stages stages) {
    if (attempt.workload().share().gpus().count() == 0) {
      return attempt;
    }
    List<String> all = state.ledger.inventory().devices().stream().map(Device::id).toList();
    journal(Staged.of(attempt.key(), stages.seeing(all), attempt.allocation()));
    return state.live.get(attempt.key());
  }

  private static Allocation seen(Allocation own, Stages stages) {
    return new Allocation(own.holder(), stages.sees(), false, own.memory(), own.cpuSlots());
  }

  /** Starts one attempt if it waits and the lease allows it. */
  void start(LiveAttempt attempt) {
    if (attempt.workload() instanceof Workload.PoolTask task) {
      new PoolRules(this).start(attempt, task);
      return;
    }
    boolean held =
        attempt
            .stages()
            .map(stages -> stages.stage() == Stage.WAITING)
            .orElseGet(
                () ->
                    PendingAttempts.gated(attempt.place(), rules)
                        && !state.admitted.contains(attempt.key()));
    if (!held
        && !attempt.heldBehindSlots()
        && !attempt.awaitsGang()
        && attempt.phase() instanceof Phase.Waiting waiting
        && state.lease.mayStart(now.bootMs())
        && !state.stopping) {
      LiveAttempt begun =
          attempt.stages().map(stages -> seeingAll(attempt, stages)).orElse(attempt);
      state.live.put(begun.key(), begun.in(waiting.launch()));
      Allocation own = begun.allocation();
      effects.add(
          new Effect.Launch(
              begun.place(),
              begun.stages().map(stages -> seen(own, stages)).orElse(own),
              begun.stages().map(Stages::starts).orElse(1)));
    }
  }
}
