package io.stoker.dispatcher.service.protocol;

import static io.restassured.RestAssured.given;
import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.test.junit.QuarkusTest;
import io.stoker.common.message.ControlMessage;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.message.ToAgent;
import io.stoker.common.request.Dependency.Condition;
import io.stoker.common.state.Code;
import io.stoker.common.state.FailureCategory;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.coordinator.retention.RetentionTransaction;
import io.stoker.dispatcher.coordinator.retention.RetentionTransaction.Step;
import io.stoker.dispatcher.model.Arrival;
import io.stoker.dispatcher.retention.Deadlines;
import io.stoker.dispatcher.scenario.ARequest;
import io.stoker.dispatcher.service.testing.OnRealServices;
import io.stoker.dispatcher.store.Store;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What is over for long is dropped, and nothing else. To be old, rows are moved into the first hour
 * of 1970, where no other test's are.
 */
@QuarkusTest
@OnRealServices
class RetentionTest extends WithSite {
  private static final long DEADLINE = 3_600_000;

  /** In 1970, too. */
  private static final long STOPPED = 2_000_000_000;

  private RetentionTransaction retention;

  @Inject
  void over(Store store) {
    retention = new RetentionTransaction(store);
  }

  @Test
  void anEndedRequestLeavesATombstoneAndItsIdFree() throws SQLException {
    String host = Site.unique("host");
    String id = Site.unique("ended");
    try (HandAgent agent = HandAgent.start(site, host)) {
      site.post(on(host, id));
      agent.succeed(agent.awaitPlace(id, 1));
    }
    RequestStatus before = site.statuses().await(id, RequestState.SUCCEEDED);
    site.age(id);

    dropRequests();
    site.statuses().awaitTombstone(id);

    assertThat(known(id)).isFalse();
    site.post(nowhere(id).meaning("another"));
    assertThat(site.statuses().await(id, RequestState.QUEUED).version())
        .isGreaterThan(before.version());
  }

  @Test
  void whatIsNotOverIsKept() throws SQLException {
    String queued = Site.unique("queued");
    String young = Site.unique("young");
    site.post(nowhere(queued), nowhere(young));
    site.statuses().await(queued, RequestState.QUEUED);
    cancel(young);
    site.age(queued);
    try (Connection database = site.database()) {
      // It came long ago, and ended just now.
      Site.update(
          database, "update request set seq = ? where id = ?", Arrival.first(Site.LONG_AGO), young);
    }

    dropRequests();

    assertThat(known(queued)).isTrue();
    assertThat(known(young)).isTrue();
  }

  /** A request that has. */
  private String succeeded() {
    String host = Site.unique("host");
    String id = Site.unique("input");
    try (HandAgent agent = HandAgent.start(site, host)) {
      site.post(on(host, id));
      agent.succeed(agent.awaitPlace(id, 1));
    }
    site.statuses().await(id, RequestState.SUCCEEDED);
    return id;
  }

  @ParameterizedTest
  @EnumSource(Condition.class)
  void whatSomebodyWaitingNamesIsKeptAndGoesWithHim(Condition condition) throws SQLException {
    String never = Site.unique("never");
    String waiting = Site.unique("waiting");
    String input = succeeded();
    ARequest both =
        condition == Condition.SUCCEEDED
            ? nowhere(waiting).dependsOn(input, never)
            : nowhere(waiting).dependsOn(input, Condition.ENDED).dependsOn(never, condition);
    site.post(both);
    site.statuses().await(waiting, RequestState.WAITING);
    awaitSettled(input);
    site.age(input);

    dropRequests();
    assertThat(known(input)).isTrue();

    cancel(waiting);
    site.age(waiting);
    dropRequests();
    site.statuses().awaitTombstone(waiting);
    dropRequests();
    site.statuses().awaitTombstone(input);
    assertThat(known(waiting)).isFalse();
    assertThat(known(input)).isFalse();
    assertThat(known(never)).isFalse();
  }

  @Test
  void whatAJobDependsOnIsKeptUntilThatHasEnded() throws SQLException {
    String host = Site.unique("host");
    String late = Site.unique("late");
    String running = Site.unique("input");
    String follows = Site.unique("follows");
    String atOnce = Site.unique("at-once");
    String over = succeeded();
    try (HandAgent agent = HandAgent.start(site, host)) {
      site.post(
          on(host, running),
          on(late, follows).dependsOn(running).retry("app", 1),
          on(late, atOnce).dependsOn(over));
      agent.succeed(agent.awaitPlace(running, 1));
    }
    site.statuses().await(follows, RequestState.QUEUED);
    site.statuses().await(atOnce, RequestState.QUEUED);
    site.age(running);
    site.age(over);

    dropRequests();
    assertThat(List.of(known(running), known(over))).as("in line").containsExactly(true, true);

    try (HandAgent agent = HandAgent.start(site, late)) {
      ToAgent.Place first = agent.awaitPlace(follows, 1);
      dropRequests();
      assertThat(known(running)).as("placed").isTrue();
      agent.fail(first, FailureCategory.APP);
      agent.succeed(agent.awaitPlace(follows, 2));
      agent.succeed(agent.awaitPlace(atOnce, 1));
    }
    String job = site.statuses().await(follows, RequestState.SUCCEEDED).job();
    site.statuses().await(atOnce, RequestState.SUCCEEDED);
    dropRequests();
    site.statuses().awaitTombstone(running);
    site.statuses().awaitTombstone(over);

    site.age(follows);
    dropRequests();
    site.statuses().awaitTombstone(follows);
    drop(job, new Deadlines(DEADLINE, DEADLINE, DEADLINE));
    assertThat(site.query("select depends_on from input where job = ?", job)).isEmpty();
  }

  @Test
  void whatVeryManyJobsDependedOnIsKeptUntilSomeAreDropped() throws SQLException {
    String input = succeeded();
    site.age(input);
    try (Connection database = site.database()) {
      Site.update(
          database,
          "insert into input (depends_on, job) select ?, 'over-' || i from generate_series(1, 1001) i",
          input);
      dropRequests();
      assertThat(known(input)).isTrue();

      Site.update(database, "delete from input where depends_on = ? and job = 'over-500'", input);
      dropRequests();
      site.statuses().awaitTombstone(input);
      Site.update(database, "delete from input where depends_on = ?", input);
    }
  }

  @Test
  void whatASharedJobDependsOnIsKeptThoughWhoStartedItWasCancelled() throws SQLException {
    String late = Site.unique("late");
    String first = Site.unique("first");
    String sharer = Site.unique("sharer");
    String meaning = Site.unique("meaning");
    String input = succeeded();
    site.post(on(late, first).meaning(meaning).dependsOn(input));
    site.statuses().await(first, RequestState.QUEUED);
    site.post(on(late, sharer).meaning(meaning).dependsOn(input));
    site.statuses().awaitThat(sharer, RequestStatus::shared);
    cancel(first);
    site.age(first);
    site.age(input);

    dropRequests();
    assertThat(known(input)).isTrue();

    try (HandAgent agent = HandAgent.start(site, late)) {
      agent.succeed(agent.awaitPlace(first, 1));
    }
    site.statuses().await(sharer, RequestState.SUCCEEDED);
    dropRequests();
    site.statuses().awaitTombstone(input);
  }

  /** Who comes holds the row of what he names, and nobody else sees yet that he does. */
  @Test
  void anIdThatSomebodyComesToNameWhileTheLastOneGoesIsKept() throws Exception {
    String never = Site.unique("never");
    String goes = Site.unique("goes");
    String comes = Site.unique("comes");
    site.post(nowhere(goes).dependsOn(never));
    site.statuses().await(goes, RequestState.WAITING);
    cancel(goes);
    site.age(goes);
    try (Connection coming = site.database()) {
      coming.setAutoCommit(false);
      Site.query(coming, "select id from request where id = ? for update", never);
      Site.update(
          coming, "insert into dependency (depends_on, dependent) values (?, ?)", never, comes);
      CompletableFuture<?> dropping = retention.requests(0, DEADLINE).subscribeAsCompletionStage();
      site.awaitWaitingOr(1, dropping::isDone);
      coming.commit();
      dropping.get();

      assertThat(known(goes)).isFalse();
      assertThat(known(never)).isTrue();
      Site.update(coming, "delete from dependency where dependent = ?", comes);
      coming.commit();
    }
  }

  /** As builds before this one may have dropped it. */
  @Test
  void whatWaitsForAnIdWhoseRowIsGoneFailsInTime() throws SQLException {
    String never = Site.unique("never");
    String waiting = Site.unique("waiting");
    site.post(nowhere(waiting).dependsOn(never).with("dependencyTimeout", "3s"));
    site.statuses().await(waiting, RequestState.WAITING);
    try (Connection database = site.database()) {
      Site.update(database, "delete from request where id = ?", never);
    }

    RequestStatus end = site.statuses().await(waiting, RequestState.FAILED);

    assertThat(end.code()).isEqualTo(Code.DEPENDENCY_TIMEOUT);
    assertThat(end.reason()).contains(never);
  }

  @Test
  void whatWaitedForLongBeforeItWasAnsweredIsKeptFromItsEndOn() throws SQLException {
    String host = Site.unique("host");
    String first = Site.unique("first");
    String answered = Site.unique("answered");
    String meaning = Site.unique("meaning");
    try (HandAgent agent = HandAgent.start(site, host)) {
      site.post(on(host, first).meaning(meaning));
      agent.succeed(agent.awaitPlace(first, 1));
    }
    site.statuses().await(first, RequestState.SUCCEEDED);
    site.post(on(host, answered).meaning(meaning));
    site.statuses().await(answered, RequestState.SUCCEEDED);
    site.age(answered);
    try (Connection database = site.database()) {
      Site.update(
          database,
          "update request set queued_at = ? where id = ?",
          System.currentTimeMillis(),
          answered);
    }

    dropRequests();
    assertThat(known(answered)).isTrue();

    site.age(answered);
    dropRequests();
    assertThat(known(answered)).isFalse();
  }

  @Test
  void aRefusalOnWhichSomebodyDependsIsKept() throws SQLException {
    String refused = Site.unique("refused");
    String never = Site.unique("never");
    String inLine = Site.unique("in-line");
    String waiting = Site.unique("waiting");
    site.post(aRequest(refused).with("command", "no list"));
    site.statuses().await(refused, RequestState.REJECTED);
    site.post(
        nowhere(inLine).dependsOn(refused, Condition.ENDED),
        nowhere(waiting).dependsOn(refused, Condition.ENDED).dependsOn(never, Condition.ENDED));
    site.statuses().await(inLine, RequestState.QUEUED);
    site.statuses().await(waiting, RequestState.WAITING);
    awaitSettled(refused);
    try (Connection database = site.database()) {
      Site.update(database, "update request set version = ? where id = ?", STOPPED, refused);
    }

    dropStops();
    assertThat(known(refused)).as("for both").isTrue();
    cancel(waiting);
    dropStops();
    assertThat(known(refused)).as("for the one in line").isTrue();
    cancel(inLine);
    dropStops();
    assertThat(known(refused)).isFalse();
  }

  private void dropStops() {
    while (retention.stops(STOPPED + 1).await().atMost(TopicLog.PATIENCE)) {
      // There may be more.
    }
  }

  /** As a build before this one lets it come. */
  @Test
  void whatIsPlacedWhenItsDependencyIsNotKeptAnyMoreFailsInPlaceOfRunningWithoutItsResult()
      throws SQLException {
    String late = Site.unique("late");
    String dependent = Site.unique("dependent");
    String input = succeeded();
    site.post(on(late, dependent).dependsOn(input));
    site.statuses().await(dependent, RequestState.QUEUED);
    site.age(input);
    try (Connection database = site.database()) {
      Site.update(database, "delete from input where depends_on = ?", input);
    }
    dropRequests();
    site.statuses().awaitTombstone(input);

    try (HandAgent agent = HandAgent.start(site, late)) {
      ToAgent.Cancel cancel = agent.awaitCancel();
      agent.beatCancelled(System.currentTimeMillis() + 3_600_000, cancel);
      RequestStatus end = site.statuses().await(dependent, RequestState.FAILED);
      assertThat(end.code()).isEqualTo(Code.DEPENDENCY_FAILED);
      assertThat(end.reason()).contains(input);
      assertThat(agent.told(ToAgent.Place.class)).isEmpty();
    }
  }

  @Test
  void whoStartedAJobIsKeptWhileItRunsForOthers() throws SQLException {
    String host = Site.unique("host");
    String first = Site.unique("first");
    String sharer = Site.unique("sharer");
    String meaning = Site.unique("meaning");
    try (HandAgent agent = HandAgent.start(site, host)) {
      site.post(on(host, first).meaning(meaning), on(host, sharer).meaning(meaning));
      var place = agent.awaitPlace(first, 1);
      site.statuses().awaitThat(sharer, RequestStatus::shared);
      cancel(first);
      site.age(first);

      dropRequests();
      assertThat(known(first)).isTrue();

      agent.succeed(place);
      site.statuses().await(sharer, RequestState.SUCCEEDED);
      site.age(first);
      dropRequests();
      site.statuses().awaitTombstone(first);
    }
  }

  @Test
  void aResultAnswersUntilItsOwnTimeIsUp() throws SQLException {
    String host = Site.unique("host");
    String first = Site.unique("first");
    String answered = Site.unique("answered");
    String again = Site.unique("again");
    String meaning = Site.unique("meaning");
    try (HandAgent agent = HandAgent.start(site, host)) {
      site.post(on(host, first).meaning(meaning));
      agent.succeed(agent.awaitPlace(first, 1));
      String job = site.statuses().await(first, RequestState.SUCCEEDED).job();
      site.age(first);
      dropRequests();
      site.statuses().awaitTombstone(first);
      drop(job, new Deadlines(DEADLINE, 0, DEADLINE));

      site.post(on(host, answered).meaning(meaning));
      assertThat(site.statuses().await(answered, RequestState.SUCCEEDED).job()).isEqualTo(job);

      drop(job, new Deadlines(DEADLINE, DEADLINE, DEADLINE));
      site.post(on(host, again).meaning(meaning));
      agent.succeed(agent.awaitPlace(again, 1));
      assertThat(site.statuses().await(again, RequestState.SUCCEEDED).job()).isNotEqualTo(job);
      assertThat(site.query("select id from job where id = ?", job))
          .as("it is shown for whom it answered")
          .hasSize(1);
      site.age(answered);
      dropRequests();
      site.statuses().awaitTombstone(answered);

      try (Connection database = site.database()) {
        Site.update(
            database,
            "insert into past_attempt (job, slot, rank, number, host, placed_at, ended_at, how)"
                + " values (?, 1, 0, 1, 'h', 1, 2, 'FAILED')",
            job);
      }
      drop(job, new Deadlines(DEADLINE, DEADLINE, DEADLINE));
      assertThat(site.query("select id from job where id = ?", job)).isEmpty();
      assertThat(site.query("select host from past_attempt where job = ?", job)).isEmpty();
    }
  }

  /** Else each placement would look at all hosts that there have ever been. */
  @Test
  void aHostThatHasBeenAwayForLong_isListedNoMore_andGoesOnInItsEpochsOnceItIsBack()
      throws SQLException {
    String host = Site.unique("away");
    String id = Site.unique("on-it");
    long epoch;
    try (HandAgent agent = HandAgent.start(site, host)) {
      epoch = agent.hello("before");
      agent.leave();
      assertGone(host);
      try (Connection database = site.database()) {
        Site.update(database, "update host set seen_at = ? where id = ?", Site.LONG_AGO, host);
        unlistHosts();
        assertThat(isListed(host)).as("it went just now").isTrue();
        Site.update(database, "delete from host_event where host = ?", host);
      }
      unlistHosts();
      TopicLog.until("it is listed no more", () -> !isListed(host));

      assertThat(agent.hello("after")).isEqualTo(epoch + 1);
      TopicLog.until("it is listed again", () -> isListed(host));
      site.post(on(host, id));
      agent.succeed(agent.awaitPlace(id, 1));
      site.statuses().await(id, RequestState.SUCCEEDED);
    }
    assertThat(site.query("select unlisted from host where id = ?", host)).containsExactly("f");
  }

  /** What is open on it is closed by its row. */
  @Test
  void aHostThatServes_orHasSomethingOpen_staysListed() throws SQLException {
    String serving = Site.unique("serving");
    String left = Site.unique("left");
    String id = Site.unique("open");
    try (HandAgent agent = HandAgent.start(site, serving);
        HandAgent other = HandAgent.start(site, left);
        Connection database = site.database()) {
      site.post(on(left, id));
      other.accept(other.awaitPlace(id, 1));
      other.leave();
      assertGone(left);
      for (String host : List.of(agent.host(), left)) {
        Site.update(database, "update host set seen_at = ? where id = ?", Site.LONG_AGO, host);
        Site.update(database, "delete from host_event where host = ?", host);
      }

      unlistHosts();

      assertThat(isListed(serving)).isTrue();
      assertThat(isListed(left)).isTrue();
    }
  }

  private void assertGone(String host) throws SQLException {
    assertThat(site.query("select state from host where id = ?", host)).containsExactly("GONE");
  }

  private static boolean isListed(String host) {
    return given().get("/hosts").asString().contains('"' + host + '"');
  }

  private void unlistHosts() {
    retention.hosts(DEADLINE).await().atMost(TopicLog.PATIENCE);
  }

  @Test
  void aCancelOfAnIdThatIsNeverPostedIsKeptForAWhole() throws SQLException {
    String old = Site.unique("never-old");
    String young = Site.unique("never-young");
    String undated = Site.unique("never-undated");
    for (String id : List.of(old, young, undated)) {
      site.send(site.topics().control(), new ControlMessage.Cancel(Site.unique("m"), id, "over"));
      TopicLog.until("the row of " + id, () -> isKnown(id));
    }
    try (Connection database = site.database()) {
      Site.update(database, "update request set version = ? where id = ?", STOPPED, old);
      Site.update(database, "update request set version = 1 where id = ?", undated);
    }

    while (retention.stops(STOPPED + 1).await().atMost(TopicLog.PATIENCE)) {
      assertThat(known(young)).isTrue();
    }

    assertThat(known(old)).isFalse();
    assertThat(known(young)).isTrue();
    assertThat(site.query("select version > 1000000000000 from request where id = ?", undated))
        .containsExactly("t");
  }

  @Test
  void aGroupGoesWithItsLimitButNotWhileAnotherOneComesAfterIt() throws SQLException {
    String over = Site.unique("over");
    String first = Site.unique("first");
    String second = Site.unique("second");
    for (String group : List.of(over, first)) {
      control(Map.of("action", "limit", "group", group, "retries", 1));
      control(Map.of("action", "close", "group", group));
    }
    control(Map.of("action", "create", "group", second, "after", first));
    TopicLog.until("group " + second, () -> !counted(second).isEmpty());
    try (Connection database = site.database()) {
      Site.update(
          database,
          "update group_count set first_at = ?, closed_at = ? where grp in (?, ?)",
          Site.LONG_AGO,
          Site.LONG_AGO,
          over,
          first);
    }

    retention.groups(DEADLINE).await().atMost(TopicLog.PATIENCE);

    assertThat(counted(over)).isEmpty();
    assertThat(site.query("select grp from group_budget where grp in (?, ?)", over, first))
        .containsExactly(first);
    String id = Site.unique("follows");
    String host = Site.unique("host");
    try (HandAgent agent = HandAgent.start(site, host)) {
      site.post(on(host, id).with("group", second));
      agent.succeed(agent.awaitPlace(id, 1));
    }
    control(Map.of("action", "close", "group", second));
    TopicLog.until("the end of " + second, () -> ended(second));

    retention.groups(DEADLINE).await().atMost(TopicLog.PATIENCE);

    assertThat(counted(first)).isEmpty();
  }

  /** Whoever takes a request in holds the plan of its group, and nobody else sees it yet. */
  @Test
  void aPlanUnderWhichSomebodyComesWhileItGoesIsKept() throws Exception {
    String group = Site.unique("stopped");
    String comes = Site.unique("comes");
    site.post(nowhere(comes));
    site.statuses().await(comes, RequestState.QUEUED);
    try (Connection coming = site.database()) {
      Site.update(
          coming,
          "insert into experiment (name, creation, plan, state, created_at, ended_at)"
              + " values (?, ?, '{}', 'STOPPED', ?, ?)",
          group,
          Site.unique("m"),
          Site.LONG_AGO,
          Site.LONG_AGO);
      coming.setAutoCommit(false);
      Site.query(coming, "select name from experiment where name = ? for share", group);
      Site.update(coming, "update request set grp = ? where id = ?", group, comes);
      CompletableFuture<?> dropping = retention.groups(DEADLINE).subscribeAsCompletionStage();
      site.awaitWaitingOr(1, dropping::isDone);
      coming.commit();
      dropping.get();
    }
    assertThat(found("select name from experiment where name = ?", group)).hasSize(1);

    try (Connection database = site.database()) {
      Site.update(database, "update request set grp = null where id = ?", comes);
    }
    retention.groups(DEADLINE).await().atMost(TopicLog.PATIENCE);

    assertThat(found("select name from experiment where name = ?", group)).isEmpty();
  }

  /** Whoever takes a request in holds the lock of its group, and nobody else sees it yet. */
  @Test
  void aLimitUnderWhichSomebodyComesWhileItGoesIsKept() throws Exception {
    String group = Site.unique("limited");
    String comes = Site.unique("comes");
    control(Map.of("action", "limit", "group", group, "retries", 1));
    TopicLog.until("the limit of " + group, () -> !limited(group).isEmpty());
    site.post(nowhere(comes));
    site.statuses().await(comes, RequestState.QUEUED);
    try (Connection coming = site.database()) {
      Site.update(
          coming, "update group_count set first_at = ? where grp = ?", Site.LONG_AGO, group);
      coming.setAutoCommit(false);
      Site.query(
          coming,
          "select pg_advisory_xact_lock_shared(%d, hashtext(?))".formatted(0x57_0CE3),
          group);
      Site.update(coming, "update request set grp = ? where id = ?", group, comes);
      CompletableFuture<?> dropping = retention.groups(DEADLINE).subscribeAsCompletionStage();
      site.awaitWaitingOr(1, dropping::isDone);
      coming.commit();
      dropping.get();
    }
    assertThat(limited(group)).hasSize(1);
    assertThat(counted(group)).hasSize(1);
    retention.groups(DEADLINE).await().atMost(TopicLog.PATIENCE);
    assertThat(limited(group)).as("somebody is there").hasSize(1);

    try (Connection database = site.database()) {
      Site.update(database, "update request set grp = null where id = ?", comes);
    }
    retention.groups(DEADLINE).await().atMost(TopicLog.PATIENCE);

    assertThat(limited(group)).isEmpty();
    assertThat(counted(group)).isEmpty();
  }

  /** Whoever sets a limit holds its row: what was set is not lost with what was there before. */
  @Test
  void aLimitThatIsSetWhileItGoesIsKept() throws Exception {
    String group = Site.unique("limited");
    control(Map.of("action", "limit", "group", group, "retries", 1));
    TopicLog.until("the limit of " + group, () -> !limited(group).isEmpty());
    try (Connection setting = site.database()) {
      Site.update(
          setting, "update group_count set first_at = ? where grp = ?", Site.LONG_AGO, group);
      setting.setAutoCommit(false);
      Site.update(setting, "update group_budget set retries = 7 where grp = ?", group);
      CompletableFuture<?> dropping = retention.groups(DEADLINE).subscribeAsCompletionStage();
      site.awaitWaitingOr(1, dropping::isDone);
      setting.commit();
      dropping.get();
    }

    assertThat(limited(group)).containsExactly("7");
    assertThat(counted(group)).hasSize(1);
  }

  private List<String> limited(String group) {
    return found("select retries from group_budget where grp = ?", group);
  }

  private void control(Map<String, Object> group) {
    Map<String, Object> message = new HashMap<>(group);
    message.put("type", "group");
    message.put("id", Site.unique("m"));
    site.send(site.topics().control(), message);
  }

  private List<String> counted(String group) {
    return found("select grp from group_count where grp = ?", group);
  }

  private boolean ended(String group) {
    return !found("select name from experiment where name = ? and ended_at is not null", group)
        .isEmpty();
  }

  private List<String> found(String sql, String key) {
    try {
      return site.query(sql, key);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  private boolean isKnown(String id) {
    return !found("select id from request where id = ?", id).isEmpty();
  }

  private void dropRequests() {
    Optional<Long> at = Optional.of(0L);
    while (at.isPresent()) {
      Step<Long> step = retention.requests(at.get(), DEADLINE).await().atMost(TopicLog.PATIENCE);
      at = step.next();
    }
  }

  /** A step that begins with this job; those of other tests are younger. */
  private void drop(String job, Deadlines deadlines) {
    String before = job.substring(0, job.length() - 1);
    retention.jobs(before, deadlines).await().atMost(TopicLog.PATIENCE);
  }

  private boolean known(String id) throws SQLException {
    return !site.query("select id from request where id = ?", id).isEmpty();
  }

  private void awaitSettled(String id) {
    TopicLog.until(
        "the dependents of " + id,
        () -> found("select dependent from dependency where depends_on = ?", id).isEmpty());
  }

  private void cancel(String id) {
    site.send(site.topics().control(), new ControlMessage.Cancel(Site.unique("m"), id, "over"));
    site.statuses().await(id, RequestState.CANCELLED);
  }

  private static ARequest on(String host, String id) {
    return aRequest(id).resource("require", Map.of("only", host));
  }

  private static ARequest nowhere(String id) {
    return on("nowhere", id);
  }
}
