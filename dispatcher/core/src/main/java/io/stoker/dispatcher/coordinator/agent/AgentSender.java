package io.stoker.dispatcher.coordinator.agent;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.ToAgent;
import io.stoker.common.size.SendLimits;
import io.stoker.dispatcher.host.AgentRecords;
import io.stoker.dispatcher.host.HostDirectory;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.runtime.InOrder;
import io.stoker.dispatcher.store.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Sends messages to agents. A message that is lost here is told again: a row still owes it, or the
 * agent asks.
 */
public final class AgentSender {
  /** A broker that is well takes a record within some ms. */
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  private final Environment environment;
  private final Store store;
  private final AgentChannel channel;
  private final HostDirectory hosts;
  private final AgentRecords records;

  /** Hosts whose topic has not taken yet, for too long, what was sent: they are sent no more. */
  private final Set<String> stalled = ConcurrentHashMap.newKeySet();

  /**
   * @param limits of the records on the channel
   */
  public AgentSender(
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
  public void tell(UnitOfWork committed) {
    Map<String, List<ToAgent>> byHost = new LinkedHashMap<>();
    for (UnitOfWork.Told told : committed.told()) {
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

  /**
   * Sends messages to hosts in these epochs; hosts without one are not told. A host whose topic
   * takes nothing is not waited for: whoever tells others works for them, too.
   */
  public Uni<Void> tell(Map<String, List<ToAgent>> byHost, Map<String, Long> epochs) {
    List<Uni<Void>> sends = new ArrayList<>();
    byHost.forEach(
        (host, messages) -> {
          if (epochs.containsKey(host) && !stalled.contains(host)) {
            sends.add(forAWhile(host, send(host, epochs.get(host), messages)));
          }
        });
    return InOrder.together(sends);
  }

  private Uni<Void> forAWhile(String host, Uni<Void> send) {
    return Uni.createFrom()
        .deferred(
            () -> {
              CompletableFuture<Void> sent = send.subscribeAsCompletionStage();
              return Uni.createFrom()
                  .completionStage(sent.copy()) // who gives up waiting does not take it back
                  .ifNoItem()
                  .after(PATIENCE)
                  .on(environment.timer())
                  .recoverWithUni(() -> stalls(host, sent));
            });
  }

  private Uni<Void> stalls(String host, CompletableFuture<Void> sent) {
    stalled.add(host);
    sent.whenComplete(
        (none, error) -> {
          stalled.remove(host);
          if (error != null) {
            environment.failed("telling " + host, error);
          }
        });
    return Uni.createFrom().voidItem();
  }

  /**
   * Sends messages to a host.
   *
   * @param epoch that the agent must be in, or 0 for whatever agent says hello
   * @return done when the broker has all of them
   */
  public Uni<Void> send(String host, long epoch, List<ToAgent> messages) {
    return InOrder.together(sends(host, epoch, messages));
  }

  /** Sees to it that the host can be told something; fails if it cannot. */
  public Uni<Void> open(String host) {
    return channel.open(host);
  }

  private List<Uni<Void>> sends(String host, long epoch, List<ToAgent> messages) {
    return records.of(host, epoch, messages).stream()
        .map(record -> channel.send(host, record))
        .toList();
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
