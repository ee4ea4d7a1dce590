package io.stoker.dispatcher.coordinator.host;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.HostMessage.Inventory;
import io.stoker.common.message.ToAgent;
import io.stoker.dispatcher.coordinator.agent.AgentSender;
import io.stoker.dispatcher.kinds.KindPools;
import io.stoker.dispatcher.kinds.Kinds;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.store.Store;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Tells agents which pools of workers kinds declare for them: after a welcome, when the kinds have
 * changed, and whenever an inventory shows that one has not heard of it.
 *
 * @param newest the kinds in force
 */
public record PoolsSender(
    Environment environment, Store store, Supplier<Uni<Kinds>> newest, AgentSender agents) {
  private static final System.Logger LOG = System.getLogger(PoolsSender.class.getName());

  /** After its welcome. */
  Uni<Void> welcomed(HostRow host) {
    return newest
        .get()
        .invoke(kinds -> note(kinds, host))
        .chain(kinds -> tell(kinds, List.of(host), Optional.empty()));
  }

  private static void note(Kinds kinds, HostRow host) {
    if (KindPools.kept(kinds, host.id(), host.resources())) {
      LOG.log(
          Level.WARNING,
          ("host %s is told of no pools that kinds declare for it: its agent, of version %s, does"
                  + " not know them")
              .formatted(host.id(), host.grant().version()));
    }
  }

  /** After an inventory, which says what it was told last. */
  Uni<Void> heard(HostRow host, Inventory inventory) {
    Optional<Long> told = Optional.ofNullable(inventory.poolsGeneration());
    return newest.get().chain(kinds -> tell(kinds, List.of(host), told));
  }

  /** Should it fail, the hosts' next inventories bring it about. */
  public void changed(Kinds now) {
    store
        .read(tx -> tx.hosts().all())
        .chain(
            rows ->
                tell(
                    now,
                    rows.stream().filter(row -> row.state() == HostRow.State.UP).toList(),
                    Optional.empty()))
        .subscribe()
        .with(sent -> {}, error -> environment.failed("telling hosts of pools", error));
  }

  private Uni<Void> tell(Kinds kinds, List<HostRow> hosts, Optional<Long> told) {
    Map<String, List<ToAgent>> messages = new HashMap<>();
    for (HostRow host : hosts) {
      KindPools.due(kinds, host.id(), host.resources(), told)
          .ifPresent(set -> messages.put(host.id(), List.of(set)));
    }
    return messages.isEmpty()
        ? Uni.createFrom().voidItem()
        : agents.tell(messages, HostRow.epochs(hosts));
  }
}
