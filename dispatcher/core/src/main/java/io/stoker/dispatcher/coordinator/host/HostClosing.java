package io.stoker.dispatcher.coordinator.host;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.commit.CommitFollowUp;
import io.stoker.dispatcher.host.HostDirectory;
import java.lang.System.Logger.Level;

/** Closes what is on hosts that are lost, dead, to be empty, or of a restored database. */
public final class HostClosing {
  private static final System.Logger LOG = System.getLogger(HostClosing.class.getName());

  private final HostTransactions transactions;
  private final HostDirectory directory;
  private final HostReplies replies;
  private final CommitFollowUp followUp;

  public HostClosing(
      HostTransactions transactions,
      HostDirectory directory,
      HostReplies replies,
      CommitFollowUp followUp) {
    this.transactions = transactions;
    this.directory = directory;
    this.replies = replies;
    this.followUp = followUp;
  }

  /** Closes what was on a host whose lease ran out, unless it holds a newer epoch by now. */
  public Uni<Void> lose(String host, long epoch, boolean costsRetry) {
    LOG.log(Level.WARNING, "host %s is lost: no heartbeat within its lease".formatted(host));
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
    LOG.log(Level.WARNING, "host %s is declared dead".formatted(host));
    return transactions
        .bury(host)
        .chain(
            done -> {
              if (done.isEmpty()) {
                return Uni.createFrom().voidItem();
              }
              directory.dropped(host, done.get().host().epoch());
              follow(done.get());
              return replies.newerEpoch(done.get());
            });
  }

  /** Closes what earlier agents of a host have left behind and nobody can run any more. */
  public Uni<Void> closeLeft(String host) {
    return transactions
        .closeLeft(host, directory.silence(host))
        .invoke(done -> done.ifPresent(this::follow))
        .replaceWithVoid();
  }

  /** A host holds nothing any more that the restored database does not know. */
  public Uni<Void> settle(String host) {
    return transactions
        .settle(host, directory.lastHeartbeat(host), directory.silence(host))
        .invoke(done -> done.ifPresent(this::follow))
        .replaceWithVoid();
  }

  /** Moves what is on a host that was to be empty by now. */
  public Uni<Void> drain(String host) {
    return transactions.drain(host).invoke(done -> done.ifPresent(this::follow)).replaceWithVoid();
  }

  private void follow(HostTransactions.Done done) {
    followUp.afterHostChange(done.unit());
  }
}
