package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.tuples.Tuple2;
import io.stoker.dispatcher.service.runtime.Faults;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.hibernate.reactive.pool.ReactiveConnection;

/**
 * A transaction whose BEGIN is sent together with its first statements, and whose COMMIT may be
 * sent together with its last ones: the database works through what is sent on a connection in
 * order, so neither needs a round trip of its own. See ADR 0040.
 *
 * <p>A COMMIT behind a statement that failed rolls back, and what is told of the transaction is the
 * statement's failure. A transaction of which any statement failed is never told to have committed.
 */
final class PipelinedTransaction {
  private static final Map<ReactiveConnection, PipelinedTransaction> OPEN =
      new ConcurrentHashMap<>();

  private final ReactiveConnection connection;
  private final AtomicInteger inFlight = new AtomicInteger();
  private final AtomicInteger roundTrips = new AtomicInteger();
  private volatile CompletableFuture<Void> begun = CompletableFuture.completedFuture(null);
  private volatile CompletableFuture<Void> committed;
  private volatile Throwable failed;

  private PipelinedTransaction(ReactiveConnection connection) {
    this.connection = connection;
  }

  /** The one that is open on a connection; null outside of transactions. */
  static PipelinedTransaction on(ReactiveConnection connection) {
    return OPEN.get(connection);
  }

  /**
   * Runs work in a transaction.
   *
   * @param done is told how many round trips it took, once it has committed
   */
  static <T> Uni<T> run(ReactiveConnection connection, Supplier<Uni<T>> work, IntConsumer done) {
    return Uni.createFrom()
        .deferred(
            () -> {
              PipelinedTransaction transaction = new PipelinedTransaction(connection);
              OPEN.put(connection, transaction);
              return transaction
                  .run(work)
                  .invoke(() -> done.accept(transaction.roundTrips.get()))
                  .onTermination()
                  .invoke(() -> OPEN.remove(connection, transaction));
            });
  }

  private <T> Uni<T> run(Supplier<Uni<T>> work) {
    begun = send(() -> connection.executeUnprepared("begin")).toCompletableFuture();
    return Uni.createFrom()
        .deferred(work::get)
        .call(this::end)
        .onFailure()
        .call(this::rollBack)
        .onCancellation()
        .call(this::rollBack);
  }

  /** Sends a statement of it, unless one has failed, and notes whether it fails. */
  <T> CompletionStage<T> send(Supplier<CompletionStage<T>> statement) {
    if (failed != null) {
      return CompletableFuture.failedFuture(failed);
    }
    if (committed != null) {
      return CompletableFuture.failedFuture(
          new IllegalStateException("a statement follows the COMMIT of its transaction"));
    }
    if (inFlight.getAndIncrement() == 0) {
      roundTrips.incrementAndGet();
    }
    CompletionStage<T> sent;
    try {
      sent = statement.get();
    } catch (RuntimeException notSent) {
      sent = CompletableFuture.failedFuture(notSent);
    }
    return sent.whenComplete(
        (result, error) -> {
          inFlight.decrementAndGet();
          if (error != null && failed == null) {
            failed = error instanceof CompletionException ? error.getCause() : error;
          }
        });
  }

  /**
   * Runs the last statements, with COMMIT right behind them unless they failed before they were
   * sent. A statement that would follow is refused.
   */
  <T> Uni<T> last(Uni<T> statements) {
    AtomicBoolean refused = new AtomicBoolean();
    Uni<Void> commit =
        Uni.createFrom()
            .deferred(
                () ->
                    refused.get()
                        ? Uni.createFrom().voidItem()
                        : Uni.createFrom().completionStage(commit()));
    return Uni.combine()
        .all()
        .unis(statements.onFailure().invoke(error -> refused.set(true)), commit)
        .asTuple()
        .map(Tuple2::getItem1);
  }

  private CompletionStage<Void> commit() {
    committed = send(() -> connection.executeUnprepared("commit")).toCompletableFuture();
    return committed;
  }

  /**
   * Commits, unless that was sent already. Without its BEGIN, or with a statement that failed, it
   * has not committed, whatever the work made of that.
   */
  private Uni<Void> end() {
    if (failed == null && committed == null) {
      commit();
    }
    CompletableFuture<Void> outcome = committed == null ? begun : committed;
    return Uni.createFrom()
        .completionStage(outcome)
        .chain(
            () ->
                failed == null
                    ? Uni.createFrom().voidItem()
                    : Uni.createFrom().<Void>failure(failed));
  }

  /**
   * Ends what was not committed before somebody else gets the connection. A COMMIT that was sent
   * has done so, one way or the other. A connection on which that fails, though it lives, is ended
   * by the database; so is one to a server that does not write, which may have given way to another
   * one under its address.
   */
  private Uni<Void> rollBack() {
    CompletionStage<Void> over =
        committed != null
            ? committed.exceptionally(error -> null)
            : connection.executeUnprepared("rollback").exceptionallyCompose(error -> hangUp());
    CompletionStage<Void> left =
        Faults.isReadOnly(failed) ? over.thenCompose(done -> hangUp()) : over;
    return Uni.createFrom().completionStage(left).onFailure().recoverWithNull();
  }

  private CompletionStage<Void> hangUp() {
    return connection.executeUnprepared("select pg_terminate_backend(pg_backend_pid())");
  }
}
