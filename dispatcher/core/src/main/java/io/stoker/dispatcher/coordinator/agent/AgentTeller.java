package io.stoker.dispatcher.coordinator.agent;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.ToAgent;
import io.stoker.common.size.SendLimits;
import io.stoker.dispatcher.lease.AgentRecords;
import io.stoker.dispatcher.lease.HostDirectory;
import io.stoker.dispatcher.ledger.HostRow;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.store.Store;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Sends messages to agents. A message that is lost here is told again: a row still owes it, or the
 * agent asks.
 */
public final class AgentTeller {
  private final Environment environment;
  private final Store store;
  private final AgentChannel channel;
  private final HostDirectory hosts;
  private final AgentRecords records;

  /**
   * @param limits of the records on the channel
   */
  public AgentTeller(
      Environment environment,
      Store store,
      AgentChannel channel,
      HostDirectory hosts,
      SendLimits limits) {
    this.environment = environment;
    this.store = store;
    this.channel = channel;
    this.hosts = hosts;
    records = new AgentRecords(limits);
  }

  /** Sends what a transaction had to tell; nobody waits for it. */
  public void tell(Ledger committed) {
    Map<String, List<ToAgent>> byHost = new LinkedHashMap<>();
    for (Ledger.Told told : committed.told()) {
      byHost.computeIfAbsent(told.host(), host -> new ArrayList<>()).add(told.message());
    }
    tell(byHost).subscribe().with(sent -> {}, error -> environment.failed("telling agents", error));
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
    List<Uni<Void>> sends = new ArrayList<>();
    byHost.forEach(
        (host, messages) -> {
          if (epochs.containsKey(host)) {
            sends.addAll(sends(host, epochs.get(host), messages));
          }
        });
    return all(sends);
  }

  /**
   * Sends messages to a host.
   *
   * @param epoch that the agent must be in, or 0 for whatever agent says hello
   * @return done when the broker has all of them
   */
  public Uni<Void> send(String host, long epoch, List<ToAgent> messages) {
    return all(sends(host, epoch, messages));
  }

  private List<Uni<Void>> sends(String host, long epoch, List<ToAgent> messages) {
    return records.of(host, epoch, messages).stream()
        .map(record -> channel.send(host, record))
        .toList();
  }

  private static Uni<Void> all(List<Uni<Void>> sends) {
    return sends.isEmpty()
        ? Uni.createFrom().voidItem()
        : Uni.join().all(sends).andFailFast().replaceWithVoid();
  }

  /** From what was heard of the hosts, which costs no query; else from the store. */
  private Uni<Map<String, Long>> epochs(Map<String, List<ToAgent>> byHost) {
    Map<String, Long> known = new LinkedHashMap<>();
    for (String host : byHost.keySet()) {
      hosts.epoch(host).ifPresent(epoch -> known.put(host, epoch));
    }
    if (known.size() == byHost.size()) {
      return Uni.createFrom().item(known);
    }
    return store
        .read(tx -> tx.hosts().all())
        .map(
            rows -> {
              known.putAll(HostRow.epochs(rows));
              return known;
            });
  }
}
