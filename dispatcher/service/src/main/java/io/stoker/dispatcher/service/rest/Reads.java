package io.stoker.dispatcher.service.rest;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.runtime.Fault;
import io.stoker.dispatcher.service.postgres.Database;
import io.stoker.dispatcher.service.runtime.Faults;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.function.Function;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;
import org.jboss.logging.Logger;

/**
 * Asks the database for somebody who waits: not for long, and on a few connections apart from those
 * of the work. A question is asked once more where no answer came, since a connection may be lost
 * that nobody had used for a while.
 */
@ApplicationScoped
public class Reads {
  private static final Logger LOG = Logger.getLogger(Reads.class);
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  /** SQLSTATE of a statement that was ended. */
  private static final String TOO_LONG = "57014";

  private final Database database;

  Reads(Database database) {
    this.database = database;
  }

  /** Fails with 503 where the database is away. */
  public <T> Uni<T> ask(Function<StatelessSession, Uni<T>> question) {
    return answer(
        database
            .readAside(question)
            .onFailure(error -> away(error) && !tookTooLong(error))
            .retry()
            .atMost(1));
  }

  /** As {@link #ask}, of what asks the database by itself. */
  <T> Uni<T> answer(Uni<T> asked) {
    return asked
        .ifNoItem()
        .after(PATIENCE)
        .failWith(() -> ApiException.unavailable("the database does not answer; try again"))
        .onFailure(Reads::away)
        .transform(Reads::unavailable);
  }

  private static boolean away(Throwable error) {
    return !(error instanceof ApiException) && Faults.of(error) != Fault.DATA;
  }

  private static boolean tookTooLong(Throwable error) {
    return Faults.sqlState(error).filter(TOO_LONG::equals).isPresent();
  }

  private static ApiException unavailable(Throwable error) {
    if (tookTooLong(error)) {
      return ApiException.unavailable(
          "it takes longer than 1 s to find; ask for less, or try again");
    }
    LOG.warnf("a read failed: %s", Fault.sentence(error));
    return ApiException.unavailable("the database cannot be reached; try again");
  }
}
