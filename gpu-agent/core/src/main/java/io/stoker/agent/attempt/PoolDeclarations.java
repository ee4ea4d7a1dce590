package io.stoker.agent.attempt;

import io.stoker.agent.attempt.JournalEntry.PoolsSet;
import io.stoker.agent.pool.Closing;
import io.stoker.agent.pool.Pool;
import io.stoker.agent.pool.PoolSettings;
import io.stoker.common.message.ToAgent.SetPools;
import io.stoker.common.message.ToAgent.WorkerPool;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * What follows when kinds declare pools of workers for this host. One that has changed makes way
 * for another of its name, which takes the jobs from then on; one that no kind declares any more
 * goes. Both end first what they were given.
 */
final class PoolDeclarations {
  private final Turn turn;
  private final AgentState state;
  private final PoolRules rules;

  PoolDeclarations(Turn turn) {
    this.turn = turn;
    this.state = turn.state;
    this.rules = new PoolRules(turn);
  }

  void told(SetPools set) {
    if (state.stopping || !state.poolBook.newest(set.generation(), state.lease.epoch())) {
      return;
    }
    if (!state.poolBook.set().equals(Optional.of(set))) {
      turn.journal(new PoolsSet(set));
    }
    Set<String> gone = new HashSet<>(state.pools.declared());
    for (WorkerPool one : set.pools()) {
      gone.remove(one.name());
      if (state.pools.own(one.name())) {
        turn.note(
            "pool %s stays as this host's configuration has it; kind %s declares it too",
            one.name(), one.kind());
      } else {
        declare(one);
      }
    }
    for (String name : gone) {
      turn.note("pool %s: no kind declares it any more; it ends what it has", name);
      retire(name);
    }
    state.lease.inventoryChanged(turn.now.bootMs());
  }

  private void declare(WorkerPool one) {
    PoolSettings settings;
    try {
      settings = DeclaredPool.settings(one);
      turn.rules.secrets().require(settings);
    } catch (IllegalArgumentException e) {
      turn.note("pool %s of kind %s is left as it was: %s", one.name(), one.kind(), e.getMessage());
      return;
    }
    Optional<Pool> before = state.pools.find(one.name());
    if (before.isPresent() && before.get().settings().equals(settings)) {
      state.pools.declaredBy(one.name(), one.kind());
      return;
    }
    if (before.isPresent()) {
      turn.note("pool %s has changed: its workers end what they have", one.name());
      retire(one.name());
    }
    turn.note("pool %s is declared by kind %s", one.name(), one.kind());
    turn.journal(state.poolBook.opened(one.name()));
    Pool fresh =
        state.pools.add(settings, Optional.of(one.kind()), state.poolBook.of(one.name()), 0);
    rules.on(fresh, pool -> pool.tick(turn.now.bootMs()));
  }

  private void retire(String name) {
    rules.on(state.pools.retire(name), pool -> pool.close(Closing.DRAIN, turn.now.bootMs()));
  }
}
