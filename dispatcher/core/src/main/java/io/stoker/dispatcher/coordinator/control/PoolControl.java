package io.stoker.dispatcher.coordinator.control;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.ControlMessage;
import io.stoker.common.message.HostMessage.PoolOffer;
import io.stoker.common.message.ToAgent;
import io.stoker.dispatcher.coordinator.agent.AgentSender;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.runtime.Fault;
import io.stoker.dispatcher.store.Store;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Carries out control messages about pools of workers. Each is passed on to the host's agent, which
 * does it once; nothing of it is kept, since a pool does not outlive its agent.
 */
public record PoolControl(Store store, AgentSender agents) {
  /** What can be asked for. */
  public static final Set<String> ACTIONS = Set.of("reset", "drain", "discard", "abort", "open");

  Uni<Optional<String>> apply(ControlMessage.Pool asked) {
    Optional<String> flaw = flaw(asked);
    if (flaw.isPresent()) {
      return Uni.createFrom().item(flaw);
    }
    return store
        .read(tx -> tx.hosts().all())
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
        .send(host.id(), host.epoch(), List.of(message)) // nothing tells it again
        .replaceWith(Optional.<String>empty())
        // Who asked can ask again; meanwhile others must not wait for this host.
        .onFailure()
        .recoverWithItem(
            error ->
                Optional.of(
                    "host: %s cannot be told: %s".formatted(host.id(), Fault.sentence(error))));
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
