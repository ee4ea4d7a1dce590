package io.stoker.dispatcher.service.postgres;

import static io.stoker.common.state.Code.APP_FAILURE;
import static io.stoker.common.state.Code.DEPENDENCY_FAILED;
import static io.stoker.common.state.Code.SHARED_FAILURE;
import static io.stoker.common.state.RequestState.CANCELLED;
import static io.stoker.common.state.RequestState.FAILED;
import static io.stoker.common.state.RequestState.PLACED;
import static io.stoker.common.state.RequestState.QUEUED;
import static io.stoker.common.state.RequestState.REJECTED;
import static io.stoker.common.state.RequestState.RUNNING;
import static io.stoker.common.state.RequestState.SUCCEEDED;
import static io.stoker.common.state.RequestState.WAITING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.Code;
import io.stoker.common.state.FailureCategory;
import io.stoker.dispatcher.experiment.Objective;
import io.stoker.dispatcher.experiment.Progress;
import io.stoker.dispatcher.experiment.Standing;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.BackoffRow;
import io.stoker.dispatcher.model.DependencyRow;
import io.stoker.dispatcher.model.FanOutRow;
import io.stoker.dispatcher.model.GroupBudget;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.PastAttempt;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.model.TimerRow;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.placement.LineWindow;
import io.stoker.dispatcher.placement.QueueHead;
import io.stoker.dispatcher.service.testing.OnRealServices;
import io.stoker.dispatcher.store.OwedStatuses;
import io.stoker.dispatcher.store.OwedStatuses.Due;
import io.stoker.dispatcher.store.Placements.Placed;
import io.stoker.dispatcher.store.Transaction;
import jakarta.inject.Inject;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/**
 * A database that has been there since the first schema, with requests of every state, is migrated
 * step by step: each of {@code resources/migration} is what builds of that version wrote. Then the
 * dispatcher's own statements read it, as it is now. A migration that changes rows gets a file of
 * the version before it where none of these has such rows.
 */
@QuarkusTest
@OnRealServices
@TestInstance(Lifecycle.PER_CLASS)
class MigrationTest {
  private static final List<String> WRITTEN_BY = List.of("1", "2.52", "2.280");
  private static final long POSTED = 1_700_000_000_000L;
  private static final Duration SOON = Duration.ofSeconds(60);

  @Inject Database database;

  @ConfigProperty(name = "stoker.postgres.url")
  String url;

  @ConfigProperty(name = "stoker.postgres.user")
  String user;

  @ConfigProperty(name = "stoker.postgres.password")
  String password;

  private final String schema = "migrated_" + UUID.randomUUID().toString().replace("-", "");

  @BeforeAll
  void migrate() throws Exception {
    run("create schema " + schema);
    for (String version : WRITTEN_BY) {
      migrateTo(version);
      run(rows(version));
    }
    migrateTo(Schema.ofThisBuild().version());
  }

  @AfterAll
  void drop() throws SQLException {
    run("drop schema " + schema + " cascade");
  }

  private void migrateTo(String version) {
    Migration.migrate(new DatabaseAddress(url, user, password, DatabaseTls.NONE), schema, version);
  }

  private static String rows(String version) throws IOException {
    String file = "/migration/%s.sql".formatted(version);
    try (InputStream in = MigrationTest.class.getResourceAsStream(file)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private void run(String sql) throws SQLException {
    String there = "jdbc:%s?currentSchema=%s".formatted(url, schema);
    try (Connection connection = DriverManager.getConnection(there, user, password);
        java.sql.Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /**
   * On the migrated tables; again where the database ended the transaction, as it does with one
   * whose process had no CPU for two seconds.
   */
  private <T> T in(Function<StatelessSession, Uni<T>> work) {
    return database
        .transaction(
            session ->
                Queries.execute(session, "set local search_path to " + schema, Map.of())
                    .chain(() -> work.apply(session)))
        .await()
        .atMost(SOON);
  }

  private <T> T inTransaction(Function<Transaction, Uni<T>> work) {
    return in(session -> work.apply(new PostgresTransaction(session)));
  }

  private <T> List<T> list(Function<Transaction, Uni<List<T>>> work) {
    return inTransaction(work);
  }

  private List<String> ids() {
    return in(
        session ->
            Queries.list(session, "select id from request order by id", Map.of(), Row::text));
  }

  private Map<String, RequestStatus> statuses() {
    List<String> all = ids();
    return inTransaction(tx -> tx.statuses().views(all)).stream()
        .collect(Collectors.toMap(RequestStatus::id, status -> status));
  }

  private UnitOfWork held() {
    List<String> all = ids();
    return inTransaction(tx -> tx.loadRequests(all));
  }

  @Test
  void everyRequestIsInItsStateUnderItsVersion() {
    assertThat(statuses().values())
        .extracting(
            RequestStatus::id,
            RequestStatus::state,
            RequestStatus::code,
            status -> status.version() - POSTED)
        .containsExactlyInAnyOrder(
            tuple("waiting", WAITING, null, 0L),
            tuple("queued", QUEUED, APP_FAILURE, 2L),
            tuple("urgent", QUEUED, null, 0L),
            tuple("placed", PLACED, null, 1L),
            tuple("running", RUNNING, null, 7L),
            tuple("sharer", RUNNING, null, 7L),
            tuple("left-alone", CANCELLED, Code.CANCELLED, 2L),
            tuple("ending", RUNNING, null, 5L),
            tuple("successor", QUEUED, null, 0L),
            tuple("succeeded", SUCCEEDED, null, 4L),
            tuple("cached", SUCCEEDED, null, 2L),
            tuple("failed", FAILED, APP_FAILURE, 4L),
            tuple("failed-with-it", FAILED, SHARED_FAILURE, 4L),
            tuple("dependent", FAILED, DEPENDENCY_FAILED, 1L),
            tuple("cancelled", CANCELLED, Code.CANCELLED, 1L),
            tuple("trial-1", RUNNING, null, 3L),
            tuple("trial-2", QUEUED, null, 0L),
            tuple("retrying", QUEUED, APP_FAILURE, 4L),
            tuple("gang", RUNNING, null, 5L),
            tuple("small", PLACED, null, 1L),
            tuple("again", RUNNING, null, 6L),
            tuple("answered", SUCCEEDED, null, 2L));
  }

  @Test
  void everyRequestShowsWhatCameOfIt() {
    Map<String, RequestStatus> statuses = statuses();

    assertThat(statuses.get("succeeded").result()).hasToString("[0.5,2]");
    assertThat(statuses.get("succeeded").endedAt()).isEqualTo("2023-11-14T22:13:29.000Z");
    assertThat(statuses.get("cached").cached()).isTrue();
    assertThat(statuses.get("failed").exitCode()).isEqualTo(3);
    assertThat(statuses.get("failed-with-it").reason())
        .isEqualTo("the job shared with failed ended: exited with 3");
    assertThat(statuses.get("dependent").reason()).isEqualTo("depends on failed, which is FAILED");
    assertThat(statuses.get("running").progress()).hasToString("{\"percent\":40}");
    assertThat(statuses.get("running").devices()).containsExactly("GPU-1");
    assertThat(statuses.get("ending").stopRequested()).isTrue();
    assertThat(statuses.get("gang").members())
        .extracting(RequestStatus.Member::host)
        .containsExactly("host-1", "host-2");
    assertThat(statuses.get("retrying").usage().wallMs()).isEqualTo(12);
    assertThat(statuses.get("again").sentBy()).isEqualTo("ada");
    assertThat(statuses.get("again").startedAt()).isEqualTo("2023-11-14T22:13:24.000Z");
    assertThat(statuses.get("answered").answeredBy().request()).isEqualTo("other");
  }

  @Test
  void whoIsOnlyNamedKeepsItsPlace() {
    UnitOfWork held = held();

    assertThat(held.requests().get("unposted"))
        .isEqualTo(RequestRow.placeholder("unposted").later(POSTED));
    assertThat(held.requests().get("stopped-unposted"))
        .isEqualTo(RequestRow.stopped("stopped-unposted", "cancelled on request", POSTED));
    assertThat(held.requests().get("rejected").ended()).isEqualTo(REJECTED);
    assertThat(held.requests().get("rejected").isPlaceholder()).isTrue();
  }

  @Test
  void everyJobIsHeldWithItsAttemptsAndWhatItMayStillDo() {
    UnitOfWork held = held();

    assertThat(held.attempts().all())
        .extracting(
            AttemptRow::job,
            AttemptRow::number,
            AttemptRow::rank,
            AttemptRow::queue,
            AttemptRow::state)
        .containsExactlyInAnyOrder(
            tuple("j-placed", 1, 0, "q", AttemptRow.State.PLACED),
            tuple("j-running", 2, 0, "q", AttemptRow.State.RUNNING),
            tuple("j-ending", 1, 0, "q", AttemptRow.State.RUNNING),
            tuple("j-trial-1", 1, 0, "q", AttemptRow.State.RUNNING),
            tuple("j-gang", 1, 0, "q", AttemptRow.State.RUNNING),
            tuple("j-gang", 1, 1, "q", AttemptRow.State.RUNNING),
            tuple("j-small", 1, 0, "q", AttemptRow.State.ACCEPTED),
            tuple("j-again", 2, 0, "q", AttemptRow.State.RUNNING));
    assertThat(held.holder("f-running")).map(JobRow::id).contains("j-running");
    assertThat(held.successor("f-ending")).map(JobRow::id).contains("j-successor");
    JobRow queued = held.jobs().get("j-queued");
    assertThat(queued.asked().policy().attempts(FailureCategory.APP)).isEqualTo(3);
    assertThat(queued.asked().policy().timeoutMs()).isEqualTo(60_000);
    assertThat(queued.setbacks().failures()).containsExactly(Map.entry(FailureCategory.APP, 1));
    assertThat(queued.setbacks().avoid().hosts()).containsExactly("host-1");
    assertThat(held.jobs().get("j-again").nextAttempt()).isEqualTo(8);
    List<PastAttempt> past = in(session -> PastAttemptTable.of(session, "j-again"));
    assertThat(past).extracting(PastAttempt::number).containsExactly(1);
  }

  @Test
  void whatIsNotAcceptedIsToldToItsHostOnceMore() {
    assertThat(list(tx -> tx.attempts().untold()))
        .extracting(AttemptRow::job)
        .containsExactlyInAnyOrder("j-placed", "j-ending");
    List<Placed> placed =
        inTransaction(
            tx ->
                tx.placements()
                    .known(List.of("j-placed"))
                    .chain(
                        known ->
                            tx.placements()
                                .placed(
                                    known,
                                    known.newest(),
                                    keys -> Uni.createFrom().item(Map.of()))));
    assertThat(placed.getFirst().message().grant().notAfter()).isEqualTo(POSTED + 31_000);
    assertThat(placed.getFirst().message().given().request()).isEqualTo("placed");
  }

  @Test
  void theLineIsAsItWas_andCounted() {
    List<QueueHead> heads =
        inTransaction(tx -> tx.line().read(LineWindow.START, List.of(), List.of())).heads();

    assertThat(heads)
        .extracting(QueueHead::job, QueueHead::plannedGroup, head -> head.rank() - head.seq())
        .containsExactlyInAnyOrder(
            tuple("j-queued", null, 0L),
            tuple("j-urgent", null, -2 * 2_457_600_000L),
            tuple("j-trial-2", "sweep", 0L));
    List<ApiQueries.QueueCount> counts = in(ApiQueries::queues);
    assertThat(counts).containsExactly(new ApiQueries.QueueCount("q", 3, 7));
    assertThat(list(tx -> tx.holds().all()))
        .singleElement()
        .matches(held -> held.inLine() && held.hold().hosts().equals(List.of("host-2")));
  }

  @Test
  void whatIsStillToComeComes() {
    assertThat(list(tx -> tx.dependencies().on("running", 10)))
        .containsExactly(new DependencyRow("waiting", "running"));
    assertThat(list(tx -> tx.dependencies().neverPosted(List.of("waiting"))))
        .containsExactly(new DependencyRow("waiting", "unposted"));
    assertThat(list(tx -> tx.timers().due(10, List.of())))
        .containsExactly(
            new TimerRow(TimerRow.Kind.DEPENDENCY_TIMEOUT, "waiting", POSTED + 60_000),
            new TimerRow(TimerRow.Kind.QUEUE_TIMEOUT, "queued", POSTED + 70_000));
    Optional<FanOutRow.Key> fanOut = inTransaction(tx -> tx.fanOuts().claim(List.of()));
    assertThat(fanOut).contains(new FanOutRow.Key(FanOutRow.Kind.SHARERS, "j-failed"));
    assertThat(list(tx -> tx.backoffs().due(POSTED + 80_000, Long.MAX_VALUE, 10, List.of())))
        .containsExactly(new BackoffRow("j-retrying", POSTED + 80_000, FailureCategory.APP));
    OwedStatuses.Some owed = inTransaction(tx -> tx.owedStatuses().some(10, List.of()));
    assertThat(owed.owed())
        .containsExactlyInAnyOrder(
            new Due("failed-with-it", 3, null),
            new Due("succeeded", 1, null),
            new Due("forgotten", 1, "q"));
  }

  @Test
  void whatJobsDependOnThatHaveNotEndedIsKept() {
    String inputs = "select i.job || ' on ' || i.depends_on from input i";
    List<String> all = in(session -> Queries.list(session, inputs, Map.of(), Row::text));
    assertThat(all)
        .containsExactlyInAnyOrder(
            "j-urgent on succeeded",
            "j-successor on succeeded",
            "j-retrying on succeeded",
            "j-again on failed",
            "j-again on succeeded");
    List<String> named = List.of("succeeded", "failed", "cancelled", "running");
    assertThat(list(tx -> tx.oldRows().named(named)))
        .containsExactlyInAnyOrder("succeeded", "failed", "running");
  }

  @Test
  void groupsAreCountedWithinTheirLimits() {
    GroupTable.Counts group = in(session -> GroupTable.counts(session, "g")).orElseThrow();
    assertThat(List.of(group.total(), group.succeeded(), group.failed()))
        .containsExactly(6L, 1L, 1L);
    assertThat(list(tx -> tx.budgets().lock(List.of("g"))))
        .containsExactly(new GroupBudget("g", 5, 2));
  }

  @Test
  void experimentsGoOn() {
    Progress sweep = list(tx -> tx.experiments().progress(List.of("sweep"))).getFirst();
    assertThat(sweep.row().plan().objective()).isEqualTo(Objective.MIN);
    assertThat(sweep.row().plan().parallel()).isEqualTo(1);
    assertThat(sweep.tally().total()).isEqualTo(2);
    assertThat(sweep.tally().running()).isEqualTo(1);

    Standing step = list(tx -> tx.intermediates().standings("sweep", 2)).getFirst();
    assertThat(step.upToIt().total()).isEqualTo(0.75);
    assertThat(step.upToIt().least()).isEqualTo(0.25);
    assertThat(list(tx -> tx.intermediates().reached(List.of("j-trial-1"))))
        .singleElement()
        .matches(reached -> reached.results() == 2 && reached.judged() == 2);
  }

  @Test
  void hostsAndFleetKeepTheirEpochs() {
    assertThat(list(tx -> tx.hosts().all()))
        .singleElement()
        .matches(host -> host.epoch() == 4 && host.cordoned() && host.resources().cpuSlots() == 8);
    OptionalLong now = inTransaction(tx -> tx.fleet().lock("default", 17));
    assertThat(now).isPresent();
  }
}
