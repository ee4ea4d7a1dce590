package io.stoker.agent.attempt;

import io.stoker.agent.attempt.Events.Ending;
import io.stoker.agent.attempt.JournalEntry.Accepted;
import io.stoker.agent.attempt.JournalEntry.Admitted;
import io.stoker.agent.device.Allocation;
import io.stoker.agent.device.Decision;
import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.message.Workload;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Attempts that are accepted behind the CPU slots: the next one is started at the exit of another,
 * with no word of the dispatcher between. Of those of a queue the one with the highest priority
 * goes first; the queues go in the order in which they were given.
 *
 * <p>That one is accepted and that it is admitted to a slot are journaled apart: what was not
 * admitted has certainly not begun, and can be given back.
 */
final class AheadRules {
  private final DecisionContext context;
  private final AgentState state;

  AheadRules(DecisionContext context) {
    this.context = context;
    this.state = context.state;
  }

  /** Whether the placement is to be held: it may be, and finds no slot free. */
  boolean applies(Place place) {
    Workload.Share share = place.workload().share();
    return place.lookAhead().isPresent()
        && share.gpus().count() == 0
        && share.cpuSlots() > 0
        && (!state.lookAhead.isEmpty() || state.ledger.freeCpuSlots() < share.cpuSlots());
  }

  /** Accepts it behind the slots. Returns why not, if so. */
  Optional<String> hold(Place place) {
    if (state.lookAhead.size() >= state.mostAhead) {
      return Optional.of(
          "it holds %d jobs behind its CPU slots, of at most %d"
              .formatted(state.lookAhead.size(), state.mostAhead));
    }
    AttemptKey key = AttemptKey.of(place);
    Allocation nothing = new Allocation(key.toString(), List.of(), false, OptionalLong.empty(), 0);
    context.journal(Accepted.of(place, nothing, context.now.wallMs(), state.boot));
    LiveAttempt attempt = state.live.get(key);
    context.send(attempt.last(), attempt);
    return Optional.empty();
  }

  /** Comes after every decision: starts as many as there are free slots for. */
  void pass() {
    if (state.lookAhead.isEmpty()) {
      return;
    }
    if (state.fitness.why().isPresent()) {
      String why = state.fitness.why().get();
      List.copyOf(state.lookAhead)
          .forEach(key -> context.end(state.live.get(key), Ending.of(Outcome.RETURNED, why)));
      return;
    }
    while (!state.lookAhead.isEmpty()
        && state.ledger.freeCpuSlots() > 0
        && state.lease.mayStart(context.now.bootMs())
        && !state.stopping) {
      if (!admit(next())) {
        return;
      }
    }
  }

  private LiveAttempt next() {
    LiveAttempt next = null;
    for (AttemptKey key : state.lookAhead) {
      LiveAttempt one = state.live.get(key);
      boolean first =
          next == null
              || next.place().lookAhead().equals(one.place().lookAhead())
                  && one.place().priority() > next.place().priority();
      next = first ? one : next;
    }
    return next;
  }

  private boolean admit(LiveAttempt next) {
    Place place = next.place();
    AttemptKey key = next.key();
    // What holds nothing is in nobody's way: the allocator decides as for one that has just come.
    Decision decision =
        state.allocator.choose(
            state.ledger.release(key.toString()),
            key.toString(),
            Demands.of(place, state.ledger.inventory()),
            Demands.job(place),
            context.now.bootMs());
    if (!(decision instanceof Decision.Granted granted)) {
      return false;
    }
    context.journal(new Admitted(key.job(), key.attempt(), granted.allocation().cpuSlots()));
    context.start(state.live.get(key));
    return true;
  }

  /** Gives one back that has not begun; one that has goes on. */
  void calledBack(AttemptKey key) {
    LiveAttempt attempt = state.live.get(key);
    if (attempt != null && attempt.heldBehindSlots()) {
      context.end(attempt, Ending.givenBack("it was called back before it began"));
    }
  }
}
