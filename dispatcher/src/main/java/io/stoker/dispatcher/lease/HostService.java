package io.stoker.dispatcher.lease;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.HostMessage.Goodbye;
import io.stoker.common.message.HostMessage.Hello;
import io.stoker.common.message.HostMessage.Inventory;
import io.stoker.common.message.ToAgent;
import io.stoker.dispatcher.config.StokerConfig;
import io.stoker.dispatcher.config.Wakes;
import io.stoker.dispatcher.placement.Refusals;
import io.stoker.dispatcher.status.StatusPublisher;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jboss.logging.Logger;

/** Answers what hosts say of themselves; done by the scheduler of the fleet alone. */
@ApplicationScoped
public class HostService {
  private static final Logger LOG = Logger.getLogger(HostService.class);

  private final HostTransactions transactions;
  private final HostDirectory directory;
  private final HostTopics topics;
  private final AgentMessages messages;
  private final StatusPublisher statuses;
  private final Refusals refusals;
  private final PoolsTeller pools;
  private final Wakes wakes;
  private final StokerConfig.Lease lease;

  HostService(
      HostTransactions transactions,
      HostDirectory directory,
      HostTopics topics,
      AgentMessages messages,
      StatusPublisher statuses,
      Refusals refusals,
      PoolsTeller pools,
      Wakes wakes,
      StokerConfig config) {
    this.transactions = transactions;
    this.directory = directory;
    this.topics = topics;
    this.messages = messages;
    this.statuses = statuses;
    this.refusals = refusals;
    this.pools = pools;
    this.wakes = wakes;
    lease = config.lease();
  }

  /** Grants an epoch, or tells again which one was granted. */
  public Uni<Void> hello(Hello hello) {
    topics.ensure(hello.host());
    return transactions
        .register(hello)
        .chain(
            granted -> {
              if (granted.isEmpty()) {
                return Uni.createFrom().voidItem(); // the scheduler of now answers
              }
              HostTransactions.Done done = granted.get();
              LOG.infof("host %s holds epoch %d", hello.host(), done.host().epoch());
              directory.registered(hello.host(), done.host().epoch());
              refusals.changed(hello.host());
              return messages
                  .send(List.of(new AgentMessages.Addressed(hello.host(), 0, welcome(done))))
                  .chain(() -> tellSettings(done.host()))
                  .chain(() -> pools.welcomed(done.host()))
                  .invoke(() -> follow(done));
            });
  }

  /** After the welcome, so that the agent is in the epoch, and before anything is placed there. */
  private Uni<Void> tellSettings(HostRow host) {
    return host.settings() == null
        ? Uni.createFrom().voidItem()
        : messages.send(
            List.of(
                new AgentMessages.Addressed(host.id(), host.epoch(), host.settings().messages())));
  }

  /**
   * Changes what people told a host, and tells its agent; if it is away, at its next hello.
   *
   * @return whether the host is known
   */
  public Uni<Boolean> tell(String host, UnaryOperator<HostSettings> change) {
    return transactions
        .update(host, row -> row.told(change))
        .chain(
            done ->
                done.isEmpty()
                    ? Uni.createFrom().item(false)
                    : tellSettings(done.get().host()).replaceWith(true));
  }

  private List<ToAgent> welcome(HostTransactions.Done done) {
    return List.of(
        new ToAgent.Welcome(
            done.host().nonce(),
            done.host().epoch(),
            done.ledger().now(),
            lease.duration().toMillis(),
            lease.heartbeat().toMillis(),
            lease.inventory().toMillis()));
  }

  /** Compares what the agent holds with what is open, and sets its clock. */
  public Uni<Void> inventory(Inventory inventory) {
    return transactions
        .takeInventory(inventory, directory.lastHeartbeat(inventory.host()))
        .chain(
            done -> {
              if (done.isEmpty()) {
                return Uni.createFrom().voidItem();
              }
              refusals.changed(inventory.host());
              follow(done.get());
              ToAgent clock = new ToAgent.Clock(inventory.n(), done.get().ledger().now());
              return messages
                  .send(
                      List.of(
                          new AgentMessages.Addressed(
                              inventory.host(), inventory.epoch(), List.of(clock))))
                  .chain(() -> pools.heard(done.get().host(), inventory));
            });
  }

  /** Nothing is placed on it any more; what still runs there keeps its lease. */
  public Uni<Void> goodbye(Goodbye goodbye) {
    return transactions
        .update(goodbye.host(), row -> row.epoch() == goodbye.epoch() ? row.gone() : row)
        .replaceWithVoid();
  }

  /** Closes what was on a host whose lease ran out, unless it holds a newer epoch by now. */
  public Uni<Void> lose(String host, long epoch, boolean costsRetry) {
    LOG.warnf("host %s is lost: no heartbeat within its lease", host);
    return transactions
        .lose(host, epoch, costsRetry)
        .invoke(done -> done.ifPresent(this::follow))
        .invoke(() -> directory.dropped(host, epoch))
        .replaceWithVoid();
  }

  /**
   * Closes what was on a host that people declared dead. Should it not be, its agent reads that
   * there is a newer epoch than its own, and says hello again.
   */
  public Uni<Void> bury(String host) {
    LOG.warnf("host %s is declared dead", host);
    return transactions
        .bury(host)
        .chain(
            done -> {
              if (done.isEmpty()) {
                return Uni.createFrom().voidItem();
              }
              HostRow row = done.get().host();
              directory.dropped(host, row.epoch());
              follow(done.get());
              ToAgent newer = new ToAgent.Clock(0, done.get().ledger().now());
              return messages.send(
                  List.of(new AgentMessages.Addressed(host, row.epoch(), List.of(newer))));
            });
  }

  /** Moves what is on a host that was to be empty by now. */
  public Uni<Void> drain(String host) {
    return transactions.drain(host).invoke(done -> done.ifPresent(this::follow)).replaceWithVoid();
  }

  private void follow(HostTransactions.Done done) {
    wakes.afterEnds(done.ledger());
    wakes.capacityChanged();
    statuses.wake();
  }
}
