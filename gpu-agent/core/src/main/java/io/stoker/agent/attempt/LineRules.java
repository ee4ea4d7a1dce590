package io.stoker.agent.attempt;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.agent.attempt.JournalEntry.Told;
import io.stoker.common.message.AttemptEvent.Type;
import java.util.Optional;

/**
 * Decides what follows from the lines by which jobs tell their progress and their results. Each
 * becomes one event, whichever agents read it: which line was given which number is journaled
 * before it is told.
 */
final class LineRules {
  private final DecisionContext context;
  private final AgentState state;

  LineRules(DecisionContext context) {
    this.context = context;
    this.state = context.state;
  }

  /**
   * The agent has started: says again what has ended. Where results were told before the end that
   * the broker may not have, they go first, since what has ended is closed.
   */
  void restarted() {
    state.reports.forEach(
        (key, kept) -> {
          if (kept.mayOwe()) {
            context.effect(new Effect.Retell(key, kept.request().get()));
          }
          if (kept.mayOwe() && state.told.owes(key)) {
            state.retelling.add(key);
          } else {
            send(kept);
          }
        });
  }

  private void send(KeptReport kept) {
    kept.token().ifPresent(token -> context.effect(new Effect.Send(kept.event(), token)));
  }

  /** What an ended run had written has been read again. */
  void retold(AttemptKey key) {
    if (state.retelling.remove(key)) {
      send(state.reports.get(key));
    }
  }

  void progress(AttemptKey key, JsonNode progress, long until) {
    LiveAttempt attempt = state.live.get(key);
    if (attempt == null
        || !runs(attempt)
        || toldBefore(key, Type.PROGRESS, progress, until)
        || context.now.bootMs() - attempt.said().progressAt()
            < context.rules.times().progressEvery()) {
      return;
    }
    int seq = number(attempt, Type.PROGRESS, until);
    context.send(Events.progress(attempt, seq, progress, context.now.wallMs()), attempt);
    state.live.computeIfPresent(key, (same, a) -> a.progressed(context.now.bootMs()));
  }

  void result(AttemptKey key, JsonNode result, long until) {
    LiveAttempt attempt = state.live.get(key);
    if (toldBefore(key, Type.RESULT, result, until) || attempt == null || !runs(attempt)) {
      return;
    }
    int seq = number(attempt, Type.RESULT, until);
    context.send(Events.result(attempt, seq, result, context.now.wallMs()), attempt);
  }

  /**
   * Who speaks runs: what a job writes in its first moments may be read before its runner has said
   * that it started.
   */
  private static boolean runs(LiveAttempt attempt) {
    return attempt.phase() instanceof Phase.Running || attempt.phase() instanceof Phase.Launching;
  }

  private int number(LiveAttempt attempt, Type what, long until) {
    int seq = context.nextSeq(attempt);
    if (until > 0) {
      AttemptKey key = attempt.key();
      context.journal(
          new Told(
              key.job(),
              key.attempt(),
              what,
              seq,
              context.now.wallMs(),
              until,
              state.told.taken(key)));
    }
    return seq;
  }

  /** Whether the line is one that was told; says it again, just as it was, if that may be lost. */
  private boolean toldBefore(AttemptKey key, Type what, JsonNode value, long until) {
    if (until == 0 || !state.told.knows(key, what, until)) {
      return false;
    }
    Optional<Told> line = state.told.maybeLost(key, what, until);
    LiveAttempt attempt = state.live.get(key);
    KeptReport kept = state.reports.get(key);
    if (line.isPresent() && attempt != null) {
      context.send(Events.again(attempt.last(), line.get(), value), attempt);
    } else if (line.isPresent() && kept != null) {
      kept.token()
          .ifPresent(
              token ->
                  context.effect(
                      new Effect.Send(Events.again(kept.event(), line.get(), value), token)));
    }
    return true;
  }
}
