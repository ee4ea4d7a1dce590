package io.stoker.dispatcher.service.postgres;

import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.vertx.core.runtime.context.VertxContextSafetyToggle;
import io.smallrye.common.vertx.VertxContext;
import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.runtime.Fault;
import io.stoker.dispatcher.service.runtime.Faults;
import io.stoker.dispatcher.store.JobLock;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Consumer;
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

  /** The name of transactions that have none of their own. */
  private static final String OTHER = "other";

  private static final Duration LOOK_AGAIN = Duration.ofMillis(500);

  /** How often a violated constraint may be the doing of others who were faster. */
  private static final int MOST_VIOLATIONS = 5;

  /**
   * How often a statement must be refused by a database that is ready before and after, as if it
   * were not, until that is put down to the input.
   */
  private static final int MOST_UNEXPLAINED = 4;

  private final SessionFactory sessions;
  private final Vertx vertx;
  private final SchemaWatch schema;
  private final MeterRegistry meters;
  private final Map<String, DistributionSummary> roundTrips = new ConcurrentHashMap<>();

  Database(SessionFactory sessions, Vertx vertx, SchemaWatch schema, MeterRegistry meters) {
    this.sessions = sessions;
    this.vertx = vertx;
    this.schema = schema;
    this.meters = meters;
  }

  /** Until it is looked at, a database counts as ready. */
  void start(@Observes StartupEvent event) {
    schema.needed(); // files are read for it: here, and not on an event loop
    awaitReady().subscribe().with(ready -> {});
  }

  /**
   * Runs a transaction until its outcome is known, however long the database is away, or is not
   * ready: not migrated, without a table or a right, not the one that was meant. It may run several
   * times, and a commit whose reply was lost runs again: the work must find out what is already
   * done by what it reads. Fails only where the same input would always fail; see {@link Fault}.
   */
  public <T> Uni<T> transaction(Function<StatelessSession, Uni<T>> work) {
    return transaction(OTHER, work);
  }

  /**
   * As {@link #transaction(Function)}.
   *
   * @param name under which its round trips are counted
   */
  public <T> Uni<T> transaction(String name, Function<StatelessSession, Uni<T>> work) {
    return patiently(once(name, work));
  }

  /**
   * As {@link #transaction}, for work that holds jobs together with others as long as it changes
   * none of them, which is seldom: then it is done again, with locks for changes.
   */
  public <T> Uni<T> holdingJobs(String name, BiFunction<StatelessSession, JobLock, Uni<T>> work) {
    return transaction(name, session -> work.apply(session, JobLock.SHARED))
        .onFailure(LockTooWeak.class)
        .recoverWithUni(() -> transaction(name, session -> work.apply(session, JobLock.CHANGES)));
  }

  /** Runs a transaction once, for callers that have somebody waiting for an answer. */
  public <T> Uni<T> once(Function<StatelessSession, Uni<T>> work) {
    return once(OTHER, work);
  }

  /**
   * As {@link #once(Function)}.
   *
   * @param name under which its round trips are counted
   */
  public <T> Uni<T> once(String name, Function<StatelessSession, Uni<T>> work) {
    return onOwnContext(
        () ->
            sessions.withStatelessSession(
                session ->
                    PipelinedTransaction.run(
                        Queries.connection(session),
                        () -> work.apply(session),
                        trips -> roundTrips(name).record(trips))));
  }

  private DistributionSummary roundTrips(String name) {
    return roundTrips.computeIfAbsent(
        name, of -> meters.summary("stoker.database.round.trips", "transaction", of));
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

  /**
   * As {@link #readOnce}, for people: on the few connections that they have, where a statement
   * fails that takes longer than a second.
   */
  public <T> Uni<T> readAside(Function<StatelessSession, Uni<T>> work) {
    return onOwnContext(TwoPools::mark, () -> sessions.withStatelessSession(work));
  }

  private <T> Uni<T> onOwnContext(Supplier<Uni<T>> work) {
    return onOwnContext(context -> {}, work);
  }

  private <T> Uni<T> onOwnContext(Consumer<Context> mark, Supplier<Uni<T>> work) {
    return Uni.createFrom()
        .emitter(
            emitter -> {
              Context context = VertxContext.createNewDuplicatedContext(vertx.getOrCreateContext());
              VertxContextSafetyToggle.setContextSafe(context, true);
              mark.accept(context);
              context.runOnContext(
                  ignored -> work.get().subscribe().with(emitter::complete, emitter::fail));
            });
  }

  private <T> Uni<T> patiently(Uni<T> work) {
    return patiently(work, 1);
  }

  /**
   * @param unexplained how often it will have failed for no reason but its input, if it fails so
   */
  private <T> Uni<T> patiently(Uni<T> work, int unexplained) {
    return throughOutages(work)
        .onFailure(error -> Faults.of(error) == Fault.NOT_READY)
        .recoverWithUni(
            error ->
                isReady()
                    .chain(
                        ready -> {
                          if (!ready) {
                            return awaitReady().chain(() -> patiently(work, 1));
                          }
                          return unexplained < MOST_UNEXPLAINED
                              ? later().chain(() -> patiently(work, unexplained + 1))
                              : Uni.createFrom().failure(error);
                        }));
  }

  private static <T> Uni<T> throughOutages(Uni<T> work) {
    return work.onFailure(Faults::violatesConstraint)
        .retry()
        .withBackOff(FIRST_BACKOFF, LONGEST_BACKOFF)
        .withJitter(0.3)
        .atMost(MOST_VIOLATIONS)
        .onFailure(error -> Faults.of(error) == Fault.OUTAGE)
        .invoke(e -> LOG.warnf("the database is asked again: %s", Fault.sentence(e)))
        .onFailure(error -> Faults.of(error) == Fault.OUTAGE)
        .retry()
        .withBackOff(FIRST_BACKOFF, LONGEST_BACKOFF)
        .withJitter(0.3)
        .indefinitely();
  }

  /** Whether it is the database that this build needs; not where it cannot be asked. */
  private Uni<Boolean> isReady() {
    return readOnce(schema::look).onFailure().recoverWithItem(schema::lookedInVain);
  }

  private Uni<Void> awaitReady() {
    return isReady()
        .chain(ready -> ready ? Uni.createFrom().voidItem() : later().chain(this::awaitReady));
  }

  private static Uni<Void> later() {
    return Uni.createFrom().voidItem().onItem().delayIt().by(LOOK_AGAIN);
  }

  /** The database's clock: ms since 1970. */
  public static Uni<Long> now(StatelessSession session) {
    return Queries.single(session, "select " + Queries.CLOCK, Map.of(), Row::bigint);
  }
}
