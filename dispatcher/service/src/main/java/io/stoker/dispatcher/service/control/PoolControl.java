package io.stoker.dispatcher.service.control;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.ControlMessage;
import io.stoker.common.message.HostMessage.PoolOffer;
import io.stoker.common.message.ToAgent;
import io.stoker.dispatcher.coordinator.agent.AgentTeller;
import io.stoker.dispatcher.ledger.HostRow;
import io.stoker.dispatcher.service.postgres.Database;
import io.stoker.dispatcher.service.postgres.HostTable;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What people ask for of pools of workers. It is passed on to the host's agent, which does each
 * message once; nothing of it is kept, since a pool does not outlive its agent.
 */
@ApplicationScoped
public class PoolControl {
  /** What can be asked for. */
  public static final Set<String> ACTIONS = Set.of("reset", "drain", "discard", "abort", "open");

  private final Database database;
  private final AgentTeller agents;

  PoolControl(Database database, AgentTeller agents) {
    this.database = database;
    this.agents = agents;
  }

  Uni<Optional<String>> apply(ControlMessage.Pool asked) {
    Optional<String> flaw = flaw(asked);
    if (flaw.isPresent()) {
      return Uni.createFrom().item(flaw);
    }
    return database
        .read(session -> new HostTable(session).all())
        .chain(
            rows -> {
              Optional<HostRow> host =
                  rows.stream().filter(row -> row.id().equals(asked.host())).findFirst();
              return flaw(host, asked)
                  .map(why -> Uni.createFrom().item(Optional.of(why)))
                  .orElseGet(() -> tell(asked, host.orElseThrow()));
            });
  }

  private Uni<Optional<String>> tell(ControlMessage.Pool asked, HostRow host) {
    ToAgent message = new ToAgent.Pool(asked.id(), asked.pool(), asked.action());
    return agents
        .tell(Map.of(host.id(), List.of(message)), Map.of(host.id(), host.epoch()))
        .replaceWith(Optional.empty());
  }

  private static Optional<String> flaw(ControlMessage.Pool asked) {
    if (asked.id() == null || asked.id().isBlank()) {
      return Optional.of("id: missing, expected an id of the message's own");
    }
    if (asked.host() == null || asked.pool() == null) {
      return Optional.of((asked.host() == null ? "host" : "pool") + ": missing");
    }
    return asked.action() == null || !ACTIONS.contains(asked.action())
        ? Optional.of("action: " + asked.action() + ", expected one of " + ACTIONS)
        : Optional.empty();
  }

  private static Optional<String> flaw(Optional<HostRow> host, ControlMessage.Pool asked) {
    if (host.isEmpty()) {
      return Optional.of("host: " + asked.host() + " is not known");
    }
    List<PoolOffer> pools = host.get().resources().pools();
    return pools == null || pools.stream().noneMatch(one -> one.name().equals(asked.pool()))
        ? Optional.of("pool: " + asked.pool() + " is not known on host " + asked.host())
        : Optional.empty();
  }
}
