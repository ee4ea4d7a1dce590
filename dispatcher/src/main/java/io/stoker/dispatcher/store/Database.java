package io.stoker.dispatcher.store;

import io.quarkus.vertx.core.runtime.context.VertxContextSafetyToggle;
import io.smallrye.common.vertx.VertxContext;
import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.runtime.Fault;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.hibernate.reactive.mutiny.Mutiny.SessionFactory;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;
import org.jboss.logging.Logger;

/**
 * Transactions that wait for the database instead of failing with it.
 *
 * <p>Each runs on a Vert.x context of its own, because Hibernate Reactive keeps its session there
 * and no two transactions may share one.
 */
@ApplicationScoped
public class Database {
  private static final Logger LOG = Logger.getLogger(Database.class);
  private static final Duration FIRST_BACKOFF = Duration.ofMillis(20);
  private static final Duration LONGEST_BACKOFF = Duration.ofSeconds(2);

  /** How often a violated constraint may be the doing of others who were faster. */
  private static final int MOST_VIOLATIONS = 5;

  private final SessionFactory sessions;
  private final Vertx vertx;

  Database(SessionFactory sessions, Vertx vertx) {
    this.sessions = sessions;
    this.vertx = vertx;
  }

  /**
   * Runs a transaction until its outcome is known, however long the database is away. It may run
   * several times, and a commit whose reply was lost runs again: the work must find out what is
   * already done by what it reads.
   *
   * @return fails only where the same input would always fail; see {@link Fault}
   */
  public <T> Uni<T> transaction(Function<StatelessSession, Uni<T>> work) {
    return patiently(once(work));
  }

  /** Runs a transaction once, for callers that have somebody waiting for an answer. */
  public <T> Uni<T> once(Function<StatelessSession, Uni<T>> work) {
    return onOwnContext(
        () -> sessions.withStatelessTransaction((session, transaction) -> work.apply(session)));
  }

  /** Reads outside of a transaction, once, for callers that have somebody waiting. */
  public <T> Uni<T> readOnce(Function<StatelessSession, Uni<T>> work) {
    return onOwnContext(() -> sessions.withStatelessSession(work));
  }

  /**
   * Reads outside of a transaction, which saves two round trips; as patient as {@link
   * #transaction}.
   */
  public <T> Uni<T> read(Function<StatelessSession, Uni<T>> work) {
    return patiently(readOnce(work));
  }

  private <T> Uni<T> onOwnContext(Supplier<Uni<T>> work) {
    return Uni.createFrom()
        .emitter(
            emitter -> {
              Context context = VertxContext.createNewDuplicatedContext(vertx.getOrCreateContext());
              VertxContextSafetyToggle.setContextSafe(context, true);
              context.runOnContext(
                  ignored -> work.get().subscribe().with(emitter::complete, emitter::fail));
            });
  }

  private static <T> Uni<T> patiently(Uni<T> work) {
    return work.onFailure(Fault::violatesConstraint)
        .retry()
        .withBackOff(FIRST_BACKOFF, LONGEST_BACKOFF)
        .withJitter(0.3)
        .atMost(MOST_VIOLATIONS)
        .onFailure(Fault::passes)
        .invoke(e -> LOG.warnf("the database is asked again: %s", Fault.sentence(e)))
        .onFailure(Fault::passes)
        .retry()
        .withBackOff(FIRST_BACKOFF, LONGEST_BACKOFF)
        .withJitter(0.3)
        .indefinitely();
  }

  /** The database's clock: ms since 1970. */
  public static Uni<Long> now(StatelessSession session) {
    return Queries.single(session, "select " + Queries.CLOCK, Map.of(), Row::bigint);
  }
}
