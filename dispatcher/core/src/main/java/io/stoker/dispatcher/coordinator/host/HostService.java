package io.stoker.dispatcher.coordinator.host;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.HostMessage.Goodbye;
import io.stoker.common.message.HostMessage.Hello;
import io.stoker.common.message.HostMessage.Inventory;
import io.stoker.dispatcher.coordinator.commit.CommitFollowUp;
import io.stoker.dispatcher.host.HostDirectory;
import io.stoker.dispatcher.host.RecentRejections;
import io.stoker.dispatcher.host.Registration;
import io.stoker.dispatcher.model.HostRow;
import java.lang.System.Logger.Level;

/** Answers what hosts say of themselves; done by the scheduler of the fleet alone. */
public final class HostService {
  private static final System.Logger LOG = System.getLogger(HostService.class.getName());

  private final HostTransactions transactions;
  private final HostDirectory directory;
  private final RecentRejections rejections;
  private final HostReplies replies;
  private final CommitFollowUp followUp;

  public HostService(
      HostTransactions transactions,
      HostDirectory directory,
      RecentRejections rejections,
      HostReplies replies,
      CommitFollowUp followUp) {
    this.transactions = transactions;
    this.directory = directory;
    this.rejections = rejections;
    this.replies = replies;
    this.followUp = followUp;
  }

  /**
   * Grants an epoch, tells again which one was granted, asks for an answer, or refuses. A host that
   * asks too often is not answered.
   */
  public Uni<Void> hello(Hello hello, boolean signed) {
    return replies.mayAnswer(hello)
        ? replies.open(hello.host()).chain(() -> answer(hello, signed))
        : Uni.createFrom().voidItem();
  }

  private Uni<Void> answer(Hello hello, boolean signed) {
    return replies.stranger(hello).orElseGet(() -> register(hello, signed));
  }

  private Uni<Void> register(Hello hello, boolean signed) {
    return transactions
        .register(hello, signed, directory.silence(hello.host()), replies.requireChallenge())
        .chain(
            answered ->
                answered.isEmpty()
                    ? Uni.createFrom().voidItem() // the scheduler of now answers
                    : answer(hello, answered.get()));
  }

  private Uni<Void> answer(Hello hello, HostTransactions.Answered answered) {
    return switch (answered.answer()) {
      case Registration.Welcomed granted ->
          welcome(new HostTransactions.Done(granted.host(), answered.unit()));
      case Registration.Challenged asked -> replies.challenge(hello, asked);
      case Registration.Refusal refusal -> replies.refuse(hello, refusal);
    };
  }

  private Uni<Void> welcome(HostTransactions.Done done) {
    HostRow host = done.host();
    LOG.log(Level.INFO, "host %s holds epoch %d".formatted(host.id(), host.epoch()));
    if (!host.holder().left().isEmpty()) {
      LOG.log(
          Level.WARNING,
          ("the agent of host %s does not hold %d attempt(s) of an earlier one, which are closed once"
                  + " nothing was heard of that one for its lease")
              .formatted(host.id(), host.holder().left().size()));
    }
    directory.registered(host.id(), host.epoch());
    rejections.changed(host.id());
    return replies.welcome(done).invoke(() -> follow(done));
  }

  /**
   * An agent says that it is in an epoch that has a successor. It reads that there is one from
   * whatever is for that epoch, and says hello.
   */
  public Uni<Void> superseded(String host) {
    return replies.mayTellNewerEpoch(host)
        ? transactions
            .update(host, row -> row)
            .chain(done -> done.map(replies::newerEpoch).orElse(Uni.createFrom().voidItem()))
        : Uni.createFrom().voidItem();
  }

  /** Compares what the agent holds with what is open, and sets its clock. */
  public Uni<Void> inventory(Inventory inventory, boolean signed) {
    return transactions
        .takeInventory(inventory, signed, directory.lastHeartbeat(inventory.host()))
        .chain(
            done -> {
              if (done.isEmpty()) {
                return Uni.createFrom().voidItem();
              }
              rejections.changed(inventory.host());
              follow(done.get());
              return replies.inventory(done.get(), inventory);
            });
  }

  /** Nothing is placed on it any more; what still runs there keeps its lease. */
  public Uni<Void> goodbye(Goodbye goodbye, boolean signed) {
    return transactions
        .update(goodbye.host(), row -> row.key().admits(signed) ? row.gone(goodbye.epoch()) : row)
        .replaceWithVoid();
  }

  private void follow(HostTransactions.Done done) {
    followUp.afterHostChange(done.unit());
  }
}
