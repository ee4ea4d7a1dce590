package io.stoker.dispatcher.service.lease;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.HostMessage.Inventory;
import io.stoker.common.message.ToAgent;
import io.stoker.dispatcher.coordinator.agent.AgentTeller;
import io.stoker.dispatcher.kinds.KindPools;
import io.stoker.dispatcher.kinds.Kinds;
import io.stoker.dispatcher.ledger.HostRow;
import io.stoker.dispatcher.service.kinds.KindsBook;
import io.stoker.dispatcher.service.postgres.Database;
import io.stoker.dispatcher.service.postgres.HostTable;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jboss.logging.Logger;

/**
 * Tells agents which pools of workers kinds declare for them: after a welcome, when the kinds have
 * changed, and whenever an inventory shows that one has not heard of it.
 */
@ApplicationScoped
public class PoolsTeller {
  private static final Logger LOG = Logger.getLogger(PoolsTeller.class);

  private final KindsBook kinds;
  private final Database database;
  private final AgentTeller agents;

  PoolsTeller(KindsBook kinds, Database database, AgentTeller agents) {
    this.kinds = kinds;
    this.database = database;
    this.agents = agents;
  }

  /** After its welcome. */
  Uni<Void> welcomed(HostRow host) {
    return kinds
        .newest()
        .invoke(newest -> note(newest, host))
        .chain(newest -> tell(newest, List.of(host), Optional.empty()));
  }

  private static void note(Kinds newest, HostRow host) {
    if (KindPools.kept(newest, host.id(), host.resources())) {
      LOG.warnf(
          "host %s is told of no pools that kinds declare for it: its agent, of version %s, does"
              + " not know them",
          host.id(), host.version());
    }
  }

  /** After an inventory, which says what it was told last. */
  Uni<Void> heard(HostRow host, Inventory inventory) {
    Optional<Long> told = Optional.ofNullable(inventory.poolsGeneration());
    return kinds.newest().chain(newest -> tell(newest, List.of(host), told));
  }

  /** Should it fail, the hosts' next inventories bring it about. */
  void changed(@Observes KindsBook.InForce now) {
    database
        .read(session -> new HostTable(session).all())
        .chain(
            rows ->
                tell(
                    now.kinds(),
                    rows.stream().filter(row -> row.state() == HostRow.State.UP).toList(),
                    Optional.empty()))
        .subscribe()
        .with(
            sent -> {},
            error -> LOG.warnf("telling hosts of pools failed, and is made up for: %s", error));
  }

  private Uni<Void> tell(Kinds newest, List<HostRow> hosts, Optional<Long> told) {
    Map<String, List<ToAgent>> messages = new HashMap<>();
    for (HostRow host : hosts) {
      KindPools.due(newest, host.id(), host.resources(), told)
          .ifPresent(set -> messages.put(host.id(), List.of(set)));
    }
    return messages.isEmpty()
        ? Uni.createFrom().voidItem()
        : agents.tell(messages, HostRow.epochs(hosts));
  }
}
