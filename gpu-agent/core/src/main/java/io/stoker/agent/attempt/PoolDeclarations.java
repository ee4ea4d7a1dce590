package io.stoker.agent.attempt;

import io.stoker.agent.attempt.JournalEntry.PoolsSet;
import io.stoker.agent.device.Device;
import io.stoker.agent.pool.Closing;
import io.stoker.agent.pool.Pool;
import io.stoker.agent.pool.PoolSettings;
import io.stoker.common.message.ToAgent.SetPools;
import io.stoker.common.message.ToAgent.WorkerPool;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Decides what follows when kinds declare pools of workers for this host. One that has changed
 * makes way for another of its name, which takes the jobs from then on; one that no kind declares
 * any more goes. Both end first what they were given.
 */
final class PoolDeclarations {
  private final DecisionContext context;
  private final AgentState state;
  private final PoolRules rules;

  PoolDeclarations(DecisionContext context) {
    this.context = context;
    this.state = context.state;
    this.rules = new PoolRules(context);
  }

  void told(SetPools set) {
    List<Device> devices = state.ledger.inventory().devices();
    if (state.stopping || !state.poolBook.newest(set.generation(), state.lease.epoch(), devices)) {
      return;
    }
    if (!state.poolBook.set().equals(Optional.of(set))) {
      context.journal(new PoolsSet(set));
    }
    Set<String> gone = new HashSet<>(state.pools.declared());
    for (WorkerPool one : set.pools()) {
      gone.remove(one.name());
      if (state.pools.own(one.name())) {
        context.note(
            "pool %s stays as this host's configuration has it; kind %s declares it too",
            one.name(), one.kind());
      } else {
        declare(one);
      }
    }
    for (String name : gone) {
      context.note("pool %s: no kind declares it any more; it ends what it has", name);
      retire(name);
    }
    state.lease.inventoryChanged(context.now.bootMs());
  }

  private void declare(WorkerPool one) {
    PoolSettings settings;
    try {
      settings = settings(one);
      context.rules.secrets().require(settings);
    } catch (IllegalArgumentException e) {
      context.note(
          "pool %s of kind %s is left as it was: %s", one.name(), one.kind(), e.getMessage());
      return;
    }
    Optional<Pool> before = state.pools.find(one.name());
    if (before.isPresent() && before.get().settings().equals(settings)) {
      state.pools.declaredBy(one.name(), one.kind());
      return;
    }
    if (before.isPresent()) {
      context.note("pool %s has changed: its workers end what they have", one.name());
      retire(one.name());
    }
    context.note("pool %s is declared by kind %s", one.name(), one.kind());
    context.journal(state.poolBook.opened(one.name()));
    Pool fresh =
        state.pools.add(settings, Optional.of(one.kind()), state.poolBook.of(one.name()), 0);
    rules.on(fresh, pool -> pool.tick(context.now.bootMs()));
  }

  private void retire(String name) {
    rules.on(state.pools.retire(name), pool -> pool.close(Closing.DRAIN, context.now.bootMs()));
  }

  /**
   * The settings of one, in this host's terms.
   *
   * @throws IllegalArgumentException naming the field that is wrong
   */
  static PoolSettings settings(WorkerPool one) {
    if (one.command() == null) {
      throw new IllegalArgumentException("command: missing, expected a program and its arguments");
    }
    return new PoolSettings(
        one.name(),
        one.command(),
        one.env() == null ? Map.of() : one.env(),
        one.secrets() == null ? Map.of() : one.secrets(),
        Optional.ofNullable(one.workdir()),
        one.min(),
        one.max(),
        one.queue(),
        one.output(),
        one.idleMs(),
        one.startMs(),
        one.closeMs(),
        one.restart(),
        one.gpus(),
        one.gpuMemory() == null ? OptionalLong.empty() : OptionalLong.of(one.gpuMemory()),
        one.cpuSlots());
  }

  /** The same, or nothing if it is wrong. */
  static Optional<PoolSettings> usable(WorkerPool one) {
    try {
      return Optional.of(settings(one));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
