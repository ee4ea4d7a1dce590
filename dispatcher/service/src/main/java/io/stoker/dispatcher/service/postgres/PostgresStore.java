package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.store.JobLock;
import io.stoker.dispatcher.store.Store;
import io.stoker.dispatcher.store.Transaction;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** The {@link Store} in Postgres. */
@ApplicationScoped
public class PostgresStore implements Store {
  private final Database database;
  private final WrittenRows written = new WrittenRows();
  private final ClockEstimate clock = new ClockEstimate();

  public PostgresStore(Database database) {
    this.database = database;
  }

  @Override
  public <T> Uni<T> transaction(String name, Function<Transaction, Uni<T>> work) {
    return remembering(
        begun -> database.transaction(name, session -> work.apply(begun.apply(session))));
  }

  @Override
  public <T> Uni<T> holdingJobs(String name, BiFunction<Transaction, JobLock, Uni<T>> work) {
    return remembering(
        begun ->
            database.holdingJobs(name, (session, how) -> work.apply(begun.apply(session), how)));
  }

  @Override
  public <T> Uni<T> once(String name, Function<Transaction, Uni<T>> work) {
    return remembering(begun -> database.once(name, session -> work.apply(begun.apply(session))));
  }

  /** Of the runs of a transaction the last is the one that committed. */
  private <T> Uni<T> remembering(
      Function<Function<StatelessSession, PostgresTransaction>, Uni<T>> run) {
    return Uni.createFrom()
        .deferred(
            () -> {
              AtomicReference<PostgresTransaction> last = new AtomicReference<>();
              return run.apply(session -> last.updateAndGet(before -> begin(session)))
                  .invoke(() -> last.get().committed());
            })
        .onFailure(RowsChanged.class)
        .recoverWithUni(() -> remembering(run));
  }

  private PostgresTransaction begin(StatelessSession session) {
    return new PostgresTransaction(session, written, clock);
  }

  @Override
  public <T> Uni<T> read(Function<Transaction, Uni<T>> work) {
    return database.read(session -> work.apply(begin(session)));
  }

  @Override
  public <T> Uni<T> readOnce(Function<Transaction, Uni<T>> work) {
    return database.readOnce(session -> work.apply(begin(session)));
  }
}
