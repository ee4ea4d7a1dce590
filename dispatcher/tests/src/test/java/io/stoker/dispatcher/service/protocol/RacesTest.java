package io.stoker.dispatcher.service.protocol;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.message.ToAgent;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.coordinator.dependency.FanOutTransaction;
import io.stoker.dispatcher.coordinator.experiment.ExperimentLifecycle;
import io.stoker.dispatcher.coordinator.intake.IntakeTransaction;
import io.stoker.dispatcher.dependency.Settlement;
import io.stoker.dispatcher.experiment.Plan;
import io.stoker.dispatcher.experiment.PlanRefused;
import io.stoker.dispatcher.intake.Intake.Refusal;
import io.stoker.dispatcher.scenario.ARequest;
import io.stoker.dispatcher.service.postgres.Database;
import io.stoker.dispatcher.service.testing.OnRealServices;
import io.stoker.dispatcher.store.Store;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Two transactions at once, as two replicas would run them. Where it can be done, the test holds a
 * lock until both are seen to wait, so that they meet each time.
 */
@QuarkusTest
@OnRealServices
class RacesTest extends WithSite {
  private static final String START =
      "insert into fan_out (kind, subject) values (0, ?)"
          + " on conflict (kind, subject) do update set after = ''";

  @Inject IntakeTransaction intake;
  @Inject Store store;
  @Inject Settlement settlement;
  @Inject ExperimentLifecycle experiments;

  @Test
  void twoDependenciesEndingTogetherReadyTheDependentOnce() throws SQLException {
    String host = Site.unique("host");
    String a = Site.unique("a");
    String b = Site.unique("b");
    String c = Site.unique("c");
    try (HandAgent agent = HandAgent.start(site, host)) {
      site.post(on(host, a), on(host, b), on(host, c).dependsOn(a, b));
      ToAgent.Place placeA = agent.awaitPlace(a, 1);
      ToAgent.Place placeB = agent.awaitPlace(b, 1);
      Uni<?> replica;
      try (Connection other = site.database()) {
        other.setAutoCommit(false);
        Site.query(other, "select id from request where id = ? for update", c);
        agent.succeed(placeA);
        site.awaitWaiting(1);
        agent.succeed(placeB);
        site.statuses().await(b, RequestState.SUCCEEDED);
        replica =
            new FanOutTransaction(store, settlement, 500)
                .next(List.of(), key -> {})
                .memoize()
                .indefinitely();
        replica.subscribe().with(done -> {});
        site.awaitWaiting(2);
        other.rollback();
      }
      replica.await().atMost(TopicLog.PATIENCE);

      ToAgent.Place placeC = agent.awaitPlace(c, 1);
      agent.succeed(placeC);
      site.statuses().await(c, RequestState.SUCCEEDED);
      assertThat(site.query("select count(*) from job where first_request = ?", c))
          .containsExactly("1");
      assertThat(site.query("select missing from request where id = ?", c)).containsExactly("0");
    }
  }

  /** Otherwise each would wait for the other until the database ends one of them. */
  @Test
  void whoHoldsADependentMayStartTheFanOutThatWaitsForIt() throws SQLException {
    String host = Site.unique("host");
    String a = Site.unique("a");
    String b = Site.unique("b");
    try (HandAgent agent = HandAgent.start(site, host)) {
      site.post(on(host, a), on(host, b).dependsOn(a));
      ToAgent.Place placeA = agent.awaitPlace(a, 1);
      site.statuses().await(b, RequestState.WAITING);
      try (Connection other = site.database()) {
        other.setAutoCommit(false);
        Site.query(other, "select id from request where id = ? for update", b);
        agent.succeed(placeA);
        site.awaitWaiting(1);
        Site.update(other, "set local lock_timeout = '500ms'");
        Site.update(other, START, a);
        other.commit();
      }

      agent.succeed(agent.awaitPlace(b, 1));
      site.statuses().await(b, RequestState.SUCCEEDED);
      awaitWorkedOff(a);
    }
  }

  /** Whoever ends the job has found no dependents, and tells none. */
  @Test
  void aDependentThatComesWhileTheJobEndsIsSettled() throws SQLException {
    String subject = Site.unique("subject");
    String dependent = Site.unique("dependent");
    site.post(nowhere(subject));
    String job = site.statuses().await(subject, RequestState.QUEUED).job();
    try (Connection ending = site.database()) {
      ending.setAutoCommit(false);
      Site.query(ending, "select id from job where id = ? for update", job);
      site.post(nowhere(dependent).dependsOn(subject));
      site.statuses().await(dependent, RequestState.WAITING);
      site.awaitWaiting(1);
      Site.update(ending, "set local lock_timeout = '500ms'");
      Site.update(ending, START, subject);
      fail(ending, job);
      ending.commit();
    }

    assertThat(site.statuses().await(dependent, RequestState.FAILED).code())
        .isEqualTo(Code.DEPENDENCY_FAILED);
    awaitWorkedOff(subject);
  }

  private static void fail(Connection connection, String job) throws SQLException {
    Site.update(
        connection,
        "update job set state = 'FAILED', role = 0, changes = changes + 1 where id = ?",
        job);
    Site.update(connection, "delete from ready where job = ?", job);
  }

  private void awaitWorkedOff(String subject) {
    await()
        .atMost(TopicLog.PATIENCE)
        .until(() -> site.query("select kind from fan_out where subject = ?", subject).isEmpty());
  }

  @Test
  void attachToAnEndingJobIsNotLost() throws SQLException {
    String first = Site.unique("first");
    String equal = Site.unique("equal");
    String meaning = Site.unique("meaning");
    site.post(nowhere(first).meaning(meaning));
    String job = site.statuses().await(first, RequestState.QUEUED).job();
    try (Connection ending = site.database()) {
      ending.setAutoCommit(false);
      Site.query(ending, "select id from job where id = ? for update", job);
      site.post(nowhere(equal).meaning(meaning));
      site.awaitWaiting(1);
      fail(ending, job);
      ending.commit();
    }

    RequestStatus status = site.statuses().await(equal, RequestState.QUEUED);

    assertThat(status.job()).isNotEqualTo(job);
    assertThat(status.shared()).isFalse();
    assertThat(site.query("select job from ready where job = ?", status.job())).hasSize(1);
  }

  @Test
  void twoReplicasInsertTheSameFingerprint() throws SQLException {
    String meaning = Site.unique("meaning");
    List<ARequest> equals =
        IntStream.range(0, 12)
            .mapToObj(i -> nowhere(Site.unique("equal")).meaning(meaning))
            .toList();

    Uni.join()
        .all(equals.stream().map(one -> intake.accept(List.of(one.build()))).toList())
        .andFailFast()
        .await()
        .atMost(TopicLog.PATIENCE);

    String[] ids = equals.stream().map(one -> one.build().id()).toArray(String[]::new);
    assertThat(site.query("select distinct job from request where id = any(?)", (Object) ids))
        .hasSize(1);
    assertThat(
            site.query("select id from request where id = any(?) and not attached", (Object) ids))
        .as("exactly one of them started the job")
        .hasSize(1);
  }

  /** Each would hold the job together with the other, and wait for the other to change it. */
  @Test
  void twoReplicasRaiseThePriorityOfAJobWithoutADeadlock() throws SQLException {
    String meaning = Site.unique("meaning");
    String first = Site.unique("first");
    String known = Site.unique("known");
    String other = Site.unique("other");
    site.post(nowhere(first).meaning(meaning), nowhere(known), nowhere(other));
    String job = site.statuses().await(first, RequestState.QUEUED).job();
    site.statuses().await(other, RequestState.QUEUED);
    try (Deadlocks deadlocks = new Deadlocks();
        Connection holder = site.database()) {
      holder.setAutoCommit(false);
      Site.query(holder, "select id from request where id in (?, ?) for update", known, other);
      Uni<?> one = replica(nowhere(known), nowhere(Site.unique("e")).meaning(meaning).priority(5));
      Uni<?> two = replica(nowhere(other), nowhere(Site.unique("e")).meaning(meaning).priority(7));
      site.awaitWaiting(2);
      holder.rollback();
      one.await().atMost(TopicLog.PATIENCE);
      two.await().atMost(TopicLog.PATIENCE);

      assertThat(deadlocks.seen()).isEmpty();
    }
    assertThat(site.query("select priority from job where id = ?", job)).containsExactly("7");
    assertThat(site.query("select priority from ready where job = ?", job)).containsExactly("7");
  }

  /** Whoever ends a job holds it, and asks for the one that waits for its end. */
  @Test
  void whoAttachesDoesNotLockWhatWaitsForAJobBeforeTheJob() throws SQLException {
    String first = Site.unique("first");
    String meaning = Site.unique("meaning");
    site.post(nowhere(first).meaning(meaning));
    String job = site.statuses().await(first, RequestState.QUEUED).job();
    String next = "!" + job;
    try (Connection ending = site.database()) {
      ending.setAutoCommit(false);
      Site.query(ending, "select id from job where id = ? for update", job);
      insertNext(job, next);
      Uni<?> equal = replica(nowhere(Site.unique("equal")).meaning(meaning));
      site.awaitWaiting(1);
      Site.update(ending, "set local lock_timeout = '500ms'");

      assertThat(Site.query(ending, "select id from job where id = ? for update", next))
          .containsExactly(next);
      Site.update(ending, "delete from job where id = ?", next);
      ending.commit();
      equal.await().atMost(TopicLog.PATIENCE);
    }
  }

  /** Waits for the end of a job, as a request does that is posted while the job is being ended. */
  private void insertNext(String job, String next) throws SQLException {
    try (Connection connection = site.database()) {
      Site.update(connection, "create temp table next as select * from job where id = ?", job);
      Site.update(connection, "update next set id = ?, role = 2", next);
      Site.update(connection, "insert into job select * from next");
    }
  }

  private Uni<?> replica(ARequest... batch) {
    Uni<?> accepted =
        intake.accept(Stream.of(batch).map(ARequest::build).toList()).memoize().indefinitely();
    accepted.subscribe().with(done -> {});
    return accepted;
  }

  /** What the dispatcher says of deadlocks, which it is patient with. */
  private static final class Deadlocks extends Handler implements AutoCloseable {
    private final Logger logger = Logger.getLogger(Database.class.getName());
    private final List<String> seen = new CopyOnWriteArrayList<>();

    Deadlocks() {
      logger.addHandler(this);
    }

    List<String> seen() {
      return seen;
    }

    @Override
    public void publish(LogRecord record) {
      String text = record.getMessage() + " " + Arrays.toString(record.getParameters());
      if (text.contains("deadlock")) {
        seen.add(text);
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
      logger.removeHandler(this);
    }
  }

  @Test
  void cyclesClosedFromTwoReplicasAreRefused() {
    for (int i = 0; i < 10; i++) {
      String a = Site.unique("a");
      String b = Site.unique("b");

      List<List<Refusal>> refusals =
          Uni.join()
              .all(
                  List.of(
                      intake.accept(List.of(aRequest(a).dependsOn(b).build())),
                      intake.accept(List.of(aRequest(b).dependsOn(a).build()))))
              .andFailFast()
              .map(accepted -> accepted.stream().map(IntakeTransaction.Accepted::refusals).toList())
              .await()
              .atMost(TopicLog.PATIENCE);

      List<Refusal> all = new ArrayList<>();
      refusals.forEach(all::addAll);
      assertThat(all).singleElement().isInstanceOf(Refusal.Cycle.class);
    }
  }

  @Test
  void twoGroupsThatAreMadeAtOnceDoNotWaitForEachOther() {
    for (int i = 0; i < 10; i++) {
      String a = Site.unique("a");
      String b = Site.unique("b");

      List<Optional<String>> made =
          Uni.join()
              .all(List.of(make(a, b), make(b, a)))
              .andFailFast()
              .await()
              .atMost(TopicLog.PATIENCE);

      assertThat(made).filteredOn(Optional::isEmpty).hasSize(1);
    }
  }

  private Uni<Optional<String>> make(String group, String after) {
    try {
      return experiments.create(Site.unique("m"), group, Plan.of(group, after, null), true);
    } catch (PlanRefused e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aStopEndsWhatWasOnItsWayIntoAGroupWithoutAPlan() throws SQLException {
    String group = Site.unique("group");
    String late = Site.unique("late");
    String any = Site.unique("any");
    site.post(nowhere(any));
    site.statuses().await(any, RequestState.QUEUED);
    Uni<?> entering;
    try (Connection other = site.database()) {
      other.setAutoCommit(false);
      Site.update(
          other,
          "create temp table next on commit drop as select * from request where id = ?",
          any);
      Site.update(other, "update next set id = ?", late);
      Site.update(other, "insert into request select * from next");
      entering = replica(nowhere(late).with("group", group));
      site.awaitWaiting(1);
      site.send(
          site.topics().control(),
          Map.of("type", "group", "id", Site.unique("m"), "group", group, "action", "stop"));
      site.awaitWaiting(2);
      other.rollback();
    }
    entering.await().atMost(TopicLog.PATIENCE);

    site.statuses().await(late, RequestState.CANCELLED);
    await()
        .atMost(TopicLog.PATIENCE)
        .until(
            () ->
                site.query("select state from experiment where name = ?", group)
                    .equals(List.of("STOPPED")));
  }

  /** A plan says how many of its group may run: it must not miss those that nobody sees yet. */
  @Test
  void whatGetsInLineWhileItsGroupGetsAPlanStandsInTheLaneOfThat() throws Exception {
    String host = Site.unique("host");
    String subject = Site.unique("subject");
    String dependent = Site.unique("dependent");
    String group = Site.unique("group");
    try (HandAgent agent = HandAgent.start(site, host);
        Connection other = site.database()) {
      site.post(on(host, subject), nowhere(dependent).dependsOn(subject).with("group", group));
      ToAgent.Place place = agent.awaitPlace(subject, 1);
      site.statuses().await(dependent, RequestState.WAITING);
      other.setAutoCommit(false);
      Site.update(other, "insert into due_status (request) values (?)", dependent);
      agent.succeed(place);
      site.awaitWaiting(1);
      CompletableFuture<Optional<String>> made =
          experiments
              .create(Site.unique("m"), group, Plan.of(group, null, null), false)
              .subscribeAsCompletionStage();
      site.awaitWaitingOr(2, made::isDone);
      other.rollback();

      assertThat(made.get()).contains(group);
    }
    String job = site.statuses().await(dependent, RequestState.QUEUED).job();
    assertThat(site.query("select lane from ready where job = ?", job)).containsExactly(group);
  }

  @Test
  void whatGetsAnotherPlaceInLineWhileItsGroupGetsAPlanStaysInTheLaneOfThat() throws SQLException {
    String first = Site.unique("first");
    String meaning = Site.unique("meaning");
    String group = Site.unique("group");
    site.post(nowhere(first).meaning(meaning).with("group", group));
    String job = site.statuses().await(first, RequestState.QUEUED).job();
    Uni<?> raising;
    try (Connection planning = site.database()) {
      planning.setAutoCommit(false);
      Site.update(
          planning,
          "insert into experiment (name, creation, plan, state, created_at)"
              + " values (?, ?, '{}', 'RUNNING', 1)",
          group,
          Site.unique("m"));
      Site.update(planning, "update ready set lane = ? where job = ?", group, job);
      raising = replica(nowhere(Site.unique("equal")).meaning(meaning).priority(5));
      site.awaitWaiting(1);
      planning.commit();
    }
    raising.await().atMost(TopicLog.PATIENCE);

    assertThat(site.query("select priority from ready where job = ?", job)).containsExactly("5");
    assertThat(site.query("select lane from ready where job = ?", job)).containsExactly(group);
  }

  private static ARequest on(String host, String id) {
    return aRequest(id).resource("require", Map.of("only", host));
  }

  /** A request that no host of any test serves. */
  private static ARequest nowhere(String id) {
    return on("nowhere", id);
  }
}
