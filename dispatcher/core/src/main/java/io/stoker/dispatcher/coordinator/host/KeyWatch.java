package io.stoker.dispatcher.coordinator.host;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.host.HostKeyBook;
import io.stoker.dispatcher.store.Transaction;
import java.util.concurrent.CompletableFuture;

/** Reads which keys of hosts are taken; every replica does so, whoever schedules. */
public final class KeyWatch {
  private final HostKeyBook book;
  private final CompletableFuture<Void> known = new CompletableFuture<>();

  public KeyWatch(HostKeyBook book) {
    this.book = book;
  }

  /** Reads it again. */
  public Uni<Void> look(Transaction tx) {
    return tx.hosts()
        .keys()
        .chain(keys -> tx.now().invoke(now -> book.read(keys, now)))
        .invoke(now -> known.complete(null))
        .replaceWithVoid();
  }

  /** Done once it was read: before that, no message of a host can be judged. */
  public Uni<Void> known() {
    return Uni.createFrom().completionStage(known);
  }
}
