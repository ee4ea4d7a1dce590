package io.stoker.dispatcher.service.lease;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.ToAgent;
import io.stoker.dispatcher.lease.HostDirectory;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.service.config.Wakes.TellAgents;
import io.stoker.dispatcher.service.postgres.Database;
import io.stoker.dispatcher.service.postgres.HostTable;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jboss.logging.Logger;

/**
 * Sends agents what a transaction had to tell them. A message that is lost here is told again: a
 * row still owes it, or the agent asks.
 */
@ApplicationScoped
public class AgentTeller {
  private static final Logger LOG = Logger.getLogger(AgentTeller.class);

  private final Database database;
  private final AgentMessages messages;
  private final HostDirectory hosts;

  AgentTeller(Database database, AgentMessages messages, HostDirectory hosts) {
    this.database = database;
    this.messages = messages;
    this.hosts = hosts;
  }

  void tell(@Observes TellAgents hint) {
    Map<String, List<ToAgent>> byHost = new LinkedHashMap<>();
    for (Ledger.Told told : hint.ledger().told()) {
      byHost.computeIfAbsent(told.host(), host -> new ArrayList<>()).add(told.message());
    }
    tell(byHost)
        .subscribe()
        .with(sent -> {}, error -> LOG.warnf(error, "telling agents failed; they are told again"));
  }

  /** Sends messages to hosts, each in its current epoch; unknown hosts have no agent to tell. */
  public Uni<Void> tell(Map<String, List<ToAgent>> byHost) {
    if (byHost.isEmpty()) {
      return Uni.createFrom().voidItem();
    }
    return epochs(byHost).chain(epochs -> tell(byHost, epochs));
  }

  /** Sends messages to hosts in these epochs; hosts without one are not told. */
  public Uni<Void> tell(Map<String, List<ToAgent>> byHost, Map<String, Long> epochs) {
    return messages.send(
        byHost.entrySet().stream()
            .filter(entry -> epochs.containsKey(entry.getKey()))
            .map(
                entry ->
                    new AgentMessages.Addressed(
                        entry.getKey(), epochs.get(entry.getKey()), entry.getValue()))
            .toList());
  }

  /** From what was heard of the hosts, which costs no query; else from the database. */
  private Uni<Map<String, Long>> epochs(Map<String, List<ToAgent>> byHost) {
    Map<String, Long> known = new LinkedHashMap<>();
    for (String host : byHost.keySet()) {
      hosts.epoch(host).ifPresent(epoch -> known.put(host, epoch));
    }
    if (known.size() == byHost.size()) {
      return Uni.createFrom().item(known);
    }
    return database
        .read(HostTable::all)
        .map(
            rows -> {
              rows.forEach(row -> known.put(row.id(), row.epoch()));
              return known;
            });
  }
}
