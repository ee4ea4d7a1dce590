package io.stoker.agent.attempt;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.agent.attempt.JournalEntry.Told;
import io.stoker.common.message.AttemptEvent.Type;
import java.util.Optional;

/**
 * What follows from the lines by which jobs tell how far they are, and what they have found. Each
 * becomes one event, whichever agents read it: which line was given which number is journaled
 * before it is told.
 */
final class LineRules {
  private final Turn turn;
  private final AgentState state;

  LineRules(Turn turn) {
    this.turn = turn;
    this.state = turn.state;
  }

  /**
   * The agent has started: says again what has ended. Where results were told before the end that
   * the broker may not have, they go first, since what has ended is closed.
   */
  void restarted() {
    state.reports.forEach(
        (key, kept) -> {
          if (kept.mayOwe()) {
            turn.effect(new Effect.Retell(key, kept.request().get()));
          }
          if (kept.mayOwe() && state.told.owes(key)) {
            state.retelling.add(key);
          } else {
            send(kept);
          }
        });
  }

  private void send(KeptReport kept) {
    kept.token().ifPresent(token -> turn.effect(new Effect.Send(kept.event(), token)));
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
        || turn.now.bootMs() - attempt.said().progressAt() < turn.rules.progressEvery()) {
      return;
    }
    int seq = number(attempt, Type.PROGRESS, until);
    turn.send(Events.progress(attempt, seq, progress, turn.now.wallMs()), attempt);
    state.live.computeIfPresent(key, (same, a) -> a.progressed(turn.now.bootMs()));
  }

  void result(AttemptKey key, JsonNode result, long until) {
    LiveAttempt attempt = state.live.get(key);
    if (toldBefore(key, Type.RESULT, result, until) || attempt == null || !runs(attempt)) {
      return;
    }
    int seq = number(attempt, Type.RESULT, until);
    turn.send(Events.result(attempt, seq, result, turn.now.wallMs()), attempt);
  }

  /**
   * Who speaks runs: what a job writes in its first moments may be read before its runner has said
   * that it started.
   */
  private static boolean runs(LiveAttempt attempt) {
    return attempt.phase() instanceof Phase.Running || attempt.phase() instanceof Phase.Launching;
  }

  private int number(LiveAttempt attempt, Type what, long until) {
    int seq = turn.nextSeq(attempt);
    if (until > 0) {
      AttemptKey key = attempt.key();
      turn.journal(
          new Told(
              key.job(),
              key.attempt(),
              what,
              seq,
              turn.now.wallMs(),
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
      turn.send(Events.again(attempt.last(), line.get(), value), attempt);
    } else if (line.isPresent() && kept != null) {
      kept.token()
          .ifPresent(
              token ->
                  turn.effect(
                      new Effect.Send(Events.again(kept.event(), line.get(), value), token)));
    }
    return true;
  }
}
