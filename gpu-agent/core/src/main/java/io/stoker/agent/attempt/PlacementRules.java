package io.stoker.agent.attempt;

import io.stoker.agent.attempt.JournalEntry.Accepted;
import io.stoker.agent.attempt.JournalEntry.Ended;
import io.stoker.agent.attempt.JournalEntry.Joined;
import io.stoker.agent.attempt.JournalEntry.Offset;
import io.stoker.agent.device.Allocation;
import io.stoker.agent.device.Decision;
import io.stoker.agent.device.Demand;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.AttemptEvent.Warning;
import io.stoker.common.message.EventBuilder;
import io.stoker.common.message.PlacementsRecord;
import io.stoker.common.message.ToAgent;
import io.stoker.common.message.ToAgent.Cancel;
import io.stoker.common.message.ToAgent.Clock;
import io.stoker.common.message.ToAgent.Forget;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.message.ToAgent.Report;
import io.stoker.common.message.ToAgent.SetDevices;
import io.stoker.common.message.ToAgent.SetPolicy;
import io.stoker.common.message.ToAgent.Start;
import io.stoker.common.message.ToAgent.Welcome;
import io.stoker.common.message.Workload;
import io.stoker.common.state.FailureCategory;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/** Decides what follows from the dispatcher's messages. */
final class PlacementRules {
  private static final Pattern JOB = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:-]{0,127}");

  /** A placement that its cancel overtook comes within this, in ms, or is refused as late. */
  private static final long OVERTAKEN = 3_600_000;

  private final DecisionContext context;
  private final AgentState state;
  private final EpochRules epochs;

  PlacementRules(DecisionContext context) {
    this.context = context;
    this.epochs = new EpochRules(context);
    this.state = context.state;
  }

  /**
   * Takes a record. One that was there before is refused here: by its epoch if an earlier agent was
   * told it, and by the numbers of attempts, which are journaled, if this one was.
   */
  void received(Input.Received in) {
    PlacementsRecord record = in.record();
    ReceivedRecord raw = in.raw();
    if (in.signed() && !state.signed) {
      // Before anything is done by it: whoever starts next demands signatures from here on.
      context.journal(new Offset(raw.offset(), true));
      context.note("dispatchers sign what they say: from now on nothing unsigned is taken");
    }
    for (ToAgent message : record.messages()) {
      if (epochs.answered(message)) {
        continue;
      }
      if (state.lease.isEpoch(record.epoch())) {
        obey(message);
      } else {
        if (state.lease.refusal().isEmpty()) {
          refuse(raw, "epoch " + record.epoch() + ", and this agent is in " + epochText());
        }
        epochs.overruled(record.epoch());
        break;
      }
    }
    context.journal(new Offset(raw.offset() + 1));
  }

  void unreadable(ReceivedRecord raw, String reason) {
    refuse(raw, reason);
    context.journal(new Offset(raw.offset() + 1));
  }

  private void refuse(ReceivedRecord raw, String reason) {
    context.effect(new Effect.DeadLetter(raw, reason));
  }

  private String epochText() {
    OptionalLong epoch = state.lease.epoch();
    return epoch.isPresent() ? "epoch " + epoch.getAsLong() : "none";
  }

  private void obey(ToAgent message) {
    switch (message) {
      case Welcome welcome -> {}
      case ToAgent.Challenge asked -> {}
      case ToAgent.Refused told -> {}
      case Clock clock -> state.lease.corrected(clock, context.now.bootMs());
      case Place place -> place(place);
      case Start start -> join(start);
      case Cancel cancel -> cancel(cancel);
      case ToAgent.CallBack back -> callBack(new AttemptKey(back.job(), back.attempt()));
      case ToAgent.Finish finish -> finish(finish);
      case ToAgent.SetTimeout set -> setTimeout(set);
      case Report report -> report(new AttemptKey(report.job(), report.attempt()), null);
      case Forget forget -> forget(new AttemptKey(forget.job(), forget.attempt()));
      case SetPolicy set -> new DeviceRules(context).policy(set);
      case SetDevices set -> new DeviceRules(context).devices(set);
      case ToAgent.Pool asked -> new PoolRules(context).told(asked);
      case ToAgent.SetPools set -> new PoolDeclarations(context).told(set);
      case ToAgent.Part part -> {} // put together before it comes here
    }
  }

  void place(Place place) {
    AttemptKey key = AttemptKey.of(place);
    if (!JOB.matcher(place.job()).matches() || place.attempt() < 1) {
      context.note("refused %s: no such name or number is ever given to an attempt", key);
      return;
    }
    if (report(key, place.token()) || state.belowFloor(key) || state.leftovers.contains(key)) {
      return;
    }
    if (state.fitness.lacks(Part.JOURNAL)) {
      // No answer could be journaled: it is published again, and closed if it is not accepted.
      context.note("left %s: %s", key, state.fitness.why().orElseThrow());
      return;
    }
    Workload.Gpus asked = place.workload().share().gpus();
    Optional<LiveAttempt> older = state.liveOf(place.job());
    if (older.isPresent()) {
      supersede(older.get(), place);
    } else if (late(place)) {
      context.note("refused %s: its placement came after it had expired", key);
      state.lease.refusedAsLate(context.now.bootMs());
    } else if (state.leftovers.stream().anyMatch(left -> left.job().equals(place.job()))) {
      turnDown(place, "an earlier attempt of it has not ended yet");
    } else if (state.stopping) {
      turnDown(place, "the agent is stopping");
    } else if (state.fitness.why().isPresent()) {
      turnDown(place, state.fitness.why().get(), state.fitness.warning());
    } else if (place.gang() != null && place.gang().rank() == 0 && place.gang().address() == null) {
      turnDown(place, "there is no free port at which its gang could meet");
    } else if (asked.device().isPresent() && asked.count() > 1) {
      String device = asked.device().get();
      turnDown(place, "it names device '%s' and %d GPUs".formatted(device, asked.count()));
    } else {
      Optional<String> no =
          switch (place.workload()) {
            case Workload.PoolTask task -> new PoolRules(context).take(place, task);
            case Workload.Staged staged -> new StageRules(context).take(place, staged);
            case Workload.Started whole -> take(place);
          };
      no.ifPresent(why -> turnDown(place, why));
    }
  }

  /** Two attempts of a job never run at once: the later is taken when nothing of this is left. */
  private void supersede(LiveAttempt older, Place place) {
    state.afterKill.merge(place.job(), place, (a, b) -> a.attempt() > b.attempt() ? a : b);
    String message = "attempt " + place.attempt() + " was placed here";
    context.kill(older, KillReason.SUPERSEDED, message);
    if (older.phase() instanceof Phase.Waiting && state.afterKill.remove(place.job(), place)) {
      place(place);
    }
  }

  private boolean late(Place place) {
    OptionalLong at = state.lease.dispatcherNow(context.now.bootMs());
    return at.isEmpty() || at.getAsLong() > place.notAfter();
  }

  private Optional<String> full(Place place) {
    return PendingAttempts.gated(place, context.rules)
        ? new PendingAttempts(state, context.rules).full()
        : Optional.empty();
  }

  /**
   * Takes what starts as a whole, unless its devices are not there, which is told here.
   *
   * @return why it was not taken otherwise
   */
  private Optional<String> take(Place place) {
    Optional<String> no = state.service.refusal(place, state.live.values()).or(() -> full(place));
    if (no.isPresent()) {
      return no;
    }
    AheadRules ahead = new AheadRules(context);
    if (ahead.applies(place)) {
      return ahead.hold(place);
    }
    AttemptKey key = AttemptKey.of(place);
    long now = context.now.bootMs();
    Demand demand = Demands.of(place, state.ledger.inventory());
    switch (state.allocator.choose(state.ledger, key.toString(), demand, Demands.job(place), now)) {
      case Decision.Refused refused -> {
        turnDown(place, refused, now);
        new PoolRules(context).pressure();
      }
      case Decision.Granted granted -> {
        Allocation given = granted.allocation();
        context.journal(Accepted.of(place, given, context.now.wallMs(), state.boot));
        LiveAttempt attempt = state.live.get(key);
        context.start(attempt);
        context.send(attempt.last(), attempt);
      }
    }
    return Optional.empty();
  }

  /** Its gang is complete. What has ended here, or was told before, is left as it is. */
  private void join(Start start) {
    AttemptKey key = new AttemptKey(start.job(), start.attempt());
    LiveAttempt attempt = state.live.get(key);
    if (attempt != null
        && attempt.awaitsGang()
        && attempt.phase() instanceof Phase.Waiting
        && start.address() != null) {
      context.journal(new Joined(key.job(), key.attempt(), start.address()));
      context.start(state.live.get(key));
    }
  }

  private void turnDown(Place place, String why) {
    turnDown(place, returned(place, why).build());
  }

  /**
   * @param code of what is not as it should be with this host
   */
  private void turnDown(Place place, String why, Warning code) {
    turnDown(place, returned(place, why).warning(code).build());
  }

  private void turnDown(Place place, Decision.Refused refused, long nowMs) {
    EventBuilder event = returned(place, refused.sentence());
    refused.until().ifPresent(until -> event.againMs(Math.max(0, until - nowMs)));
    turnDown(place, event.build());
  }

  private EventBuilder returned(Place place, String why) {
    AttemptKey key = AttemptKey.of(place);
    return Events.neverBegan(key, Events.Ending.of(Outcome.RETURNED, why), context.now.wallMs());
  }

  private void turnDown(Place place, AttemptEvent event) {
    context.journal(new Ended(event, place.token(), place.notAfter(), null));
    context.effect(new Effect.Send(event, place.token()));
  }

  private void cancel(Cancel cancel) {
    AttemptKey key = new AttemptKey(cancel.job(), cancel.attempt());
    if (state.leftovers.contains(key)) {
      return; // it is being ended already
    }
    Place waiting = state.afterKill.get(key.job());
    if (waiting != null && waiting.attempt() <= key.attempt()) {
      state.afterKill.remove(key.job());
    }
    String reason = cancel.reason() == null ? "cancelled" : cancel.reason();
    LiveAttempt attempt = state.live.get(key);
    if (attempt != null) {
      context.kill(attempt, KillReason.CANCEL, reason);
    } else if (!report(key, waiting == null ? null : waiting.token()) && !state.belowFloor(key)) {
      neverStart(key, reason, waiting);
    }
  }

  /** What is not known has not come yet, or was dealt with long ago. */
  private void callBack(AttemptKey key) {
    if (state.live.containsKey(key)) {
      new AheadRules(context).calledBack(key);
    } else {
      report(key, null);
    }
  }

  /** Only longer: what was told before, and comes late, changes nothing. */
  private void setTimeout(ToAgent.SetTimeout set) {
    AttemptKey key = new AttemptKey(set.job(), set.attempt());
    LiveAttempt attempt = state.live.get(key);
    if (attempt != null
        && !(attempt.phase() instanceof Phase.Ending)
        && attempt.place().timeoutMs() != null
        && (set.timeoutMs() == null || set.timeoutMs() > attempt.place().timeoutMs())) {
      context.journal(new JournalEntry.TimeoutSet(key.job(), key.attempt(), set.timeoutMs()));
    }
  }

  /** What a person says of an attempt; it comes again until that has ended. */
  private void finish(ToAgent.Finish finish) {
    LiveAttempt attempt = state.live.get(new AttemptKey(finish.job(), finish.attempt()));
    if (attempt == null
        || !(attempt.workload() instanceof Workload.Passive)
        || !(attempt.phase() instanceof Phase.Running)) {
      return;
    }
    context.end(
        attempt,
        finish.failed() == null
            ? new Events.Ending(Outcome.SUCCEEDED, null, null, 0, finish.result())
            : Events.Ending.failed(FailureCategory.APP, finish.failed(), null));
  }

  /** Journals the cancel of what has not come, so that it is refused when it does. */
  private void neverStart(AttemptKey key, String reason, Place waiting) {
    AttemptEvent event =
        Events.neverBegan(key, Events.Ending.of(Outcome.CANCELLED, reason), context.now.wallMs())
            .build();
    String token = waiting == null ? null : waiting.token();
    long expires =
        state.lease.dispatcherNow(context.now.bootMs()).orElse(context.now.wallMs()) + OVERTAKEN;
    context.journal(new Ended(event, token, expires, null));
    if (token != null) {
      context.effect(new Effect.Send(event, token));
    }
  }

  /**
   * Says again how an attempt stands.
   *
   * @param token of the placement at hand, which signs the end of one that its cancel overtook
   * @return whether the attempt is known
   */
  private boolean report(AttemptKey key, String token) {
    LiveAttempt attempt = state.live.get(key);
    if (attempt != null) {
      context.send(attempt.last(), attempt);
      return true;
    }
    KeptReport kept = state.reports.get(key);
    if (kept == null) {
      return false;
    }
    kept.token()
        .or(() -> Optional.ofNullable(token))
        .ifPresent(signing -> context.effect(new Effect.Send(kept.event(), signing)));
    return true;
  }

  private void forget(AttemptKey key) {
    context.forget(key);
  }
}
