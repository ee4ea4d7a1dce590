package io.stoker.dispatcher.service.protocol;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;
import io.stoker.common.json.Json;
import io.stoker.common.message.ControlMessage;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.message.ToAgent;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.coordinator.intake.IntakeTransaction;
import io.stoker.dispatcher.coordinator.status.StatusPublisher;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.scenario.ARequest;
import io.stoker.dispatcher.service.postgres.Database;
import io.stoker.dispatcher.service.postgres.DueStatusTable;
import io.stoker.dispatcher.service.postgres.UnitOfWorkWriter;
import io.stoker.dispatcher.service.testing.OnRealServices;
import io.stoker.dispatcher.store.OwedStatuses.Due;
import jakarta.inject.Inject;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;
import org.junit.jupiter.api.Test;

/** What consumers may rely on: the last record of an id is its newest, and none is another's. */
@QuarkusTest
@OnRealServices
class StatusTopicTest extends WithSite {
  @Inject IntakeTransaction intake;
  @Inject StatusPublisher publisher;
  @Inject Database database;

  @Test
  void aRedeliveredBatchChangesNothingAndPublishesAgain() throws SQLException {
    String id = Site.unique("again");
    try (HandAgent agent = HandAgent.start(site, Site.unique("host"))) {
      // One that runs: of one in line it may be said meanwhile that nobody serves it.
      ARequest request = aRequest(id).resource("require", Map.of("only", agent.host()));
      site.post(request);
      ToAgent.Place place = agent.awaitPlace(id, 1);
      agent.run(place);
      RequestStatus running = site.statuses().await(id, RequestState.RUNNING);
      long before = timesTold(running);

      site.post(request);
      await().atMost(TopicLog.PATIENCE).until(() -> timesTold(running) > before);

      // An older one may come late.
      assertThat(site.statuses().of(id))
          .allSatisfy(
              status -> {
                assertThat(status.version()).isLessThanOrEqualTo(running.version());
                assertThat(status.job()).isEqualTo(running.job());
              });
      assertThat(site.query("select id from job where first_request = ?", id)).hasSize(1);
      agent.succeed(place);
    }
  }

  private long timesTold(RequestStatus status) {
    return site.statuses().of(status.id()).stream()
        .filter(one -> one.version() == status.version())
        .count();
  }

  @Test
  void staleStatusNeverWinsCompaction() {
    String id = Site.unique("overtaken");
    var accepted = intake.accept(List.of(nowhere(id).build())).await().atMost(TopicLog.PATIENCE);
    cancel(id);
    RequestStatus newest = site.statuses().await(id, RequestState.CANCELLED);

    publisher.publishNamed(accepted.unit()).await().atMost(TopicLog.PATIENCE);

    site.statuses().await(id, RequestState.QUEUED);
    awaitLast(id, newest);
  }

  /** It tells no version in its headers, as every status does. */
  @Test
  void aRecordOfOthersUnderAnAcceptedIdIsFollowedByItsStatus() {
    String id = Site.unique("scribbled");
    site.post(nowhere(id));
    RequestStatus queued = site.statuses().await(id, RequestState.QUEUED);

    site.put(
        site.topics().status(), id, Json.bytes(RequestStatus.rejected(id, null, null, "no", null)));

    site.statuses().await(id, RequestState.REJECTED);
    awaitLast(id, queued);
  }

  /** Its state is as it was; a reason may have come to it. */
  private void awaitLast(String id, RequestStatus newest) {
    await()
        .atMost(TopicLog.PATIENCE)
        .untilAsserted(
            () -> {
              RequestStatus last = site.statuses().of(id).getLast();
              assertThat(last.version()).isGreaterThanOrEqualTo(newest.version());
              assertThat(last.state()).isEqualTo(newest.state());
            });
  }

  @Test
  void aSlowPublisherDoesNotSettleWhatIsOwedAnew() {
    String id = Site.unique("owed");

    List<Due> left =
        database
            .transaction(
                session ->
                    owe(session, id)
                        .chain(() -> owed(session, id))
                        .chain(
                            published ->
                                new DueStatusTable(session)
                                    .settle(published)
                                    .chain(() -> owe(session, id))
                                    .chain(() -> new DueStatusTable(session).settle(published)))
                        .chain(() -> owed(session, id)))
            .await()
            .atMost(TopicLog.PATIENCE);

    assertThat(left).hasSize(1);
  }

  private static Uni<Void> owe(StatelessSession session, String id) {
    UnitOfWork unit = new UnitOfWork(1);
    unit.publishDue(id);
    return UnitOfWorkWriter.write(session, unit).replaceWithVoid();
  }

  private static Uni<List<Due>> owed(StatelessSession session, String id) {
    return new DueStatusTable(session)
        .some(10_000, List.of())
        .map(some -> some.owed().stream().filter(due -> due.request().equals(id)).toList());
  }

  @Test
  void rejectedIsNotPublishedUnderAnAcceptedId() {
    String id = Site.unique("taken");
    site.post(nowhere(id));
    site.statuses().await(id, RequestState.QUEUED);

    post("{\"id\":\"" + id + "\",\"command\":[\"x\"],\"priority\":\"high\"}");

    site.deadLetters().await("dead letter of " + id, record -> reason(record).contains("priority"));
    String after = Site.unique("after");
    site.post(nowhere(after));
    site.statuses().await(after, RequestState.QUEUED);
    assertThat(site.statuses().of(id))
        .extracting(RequestStatus::state)
        .containsOnly(RequestState.QUEUED);
  }

  @Test
  void aRejectedIdMayBePostedAgainAndLooksNewerThen() {
    String id = Site.unique("second-try");
    post("{\"id\":\"" + id + "\",\"command\":\"no list\"}");
    RequestStatus rejected = site.statuses().await(id, RequestState.REJECTED);
    assertThat(rejected.version()).isZero();
    assertThat(rejected.code()).isEqualTo(Code.INVALID_REQUEST);
    assertThat(rejected.reason()).startsWith("command");

    site.post(nowhere(id));

    assertThat(site.statuses().await(id, RequestState.QUEUED).version()).isPositive();
  }

  @Test
  void sameIdOtherContentIsDeadLetteredOnly() {
    String id = Site.unique("same");
    // Not in line, where it may be said meanwhile that nobody serves it.
    String never = Site.unique("never");
    site.post(nowhere(id).dependsOn(never));
    RequestStatus waiting = site.statuses().await(id, RequestState.WAITING);

    site.post(nowhere(id).dependsOn(never).priority(9));

    site.deadLetters()
        .await(
            "dead letter of " + id,
            record ->
                reason(record)
                    .equals("id: " + id + " belongs to an accepted request with other content"));
    String after = Site.unique("after");
    site.post(nowhere(after));
    site.statuses().await(after, RequestState.QUEUED);
    // However often it was published: a batch may be read once more.
    assertThat(site.statuses().of(id))
        .extracting(RequestStatus::state, RequestStatus::version)
        .containsOnly(tuple(RequestState.WAITING, waiting.version()));
  }

  @Test
  void cancelThatOvertookItsRequest() throws SQLException {
    String id = Site.unique("overtook");
    cancel(id);
    await()
        .atMost(TopicLog.PATIENCE)
        .until(() -> !site.query("select id from request where id = ?", id).isEmpty());

    site.post(nowhere(id));

    RequestStatus status = site.statuses().await(id, RequestState.CANCELLED);
    assertThat(status.code()).isEqualTo(Code.CANCELLED);
    assertThat(status.reason()).isEqualTo("too early");
    assertThat(site.query("select id from job where first_request = ?", id)).isEmpty();
  }

  @Test
  void whatATimerEndsIsPublished() {
    String id = Site.unique("impatient");
    site.post(nowhere(id).with("queueTimeout", "200ms"));

    RequestStatus status = site.statuses().await(id, RequestState.FAILED);

    assertThat(status.code()).isEqualTo(Code.QUEUE_TIMEOUT);
  }

  @Test
  void forgedReplyTopicHeaderDoesNotRedirect() throws Exception {
    String stolen = Site.unique("stolen");
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", site.bootstrap()))) {
      admin.createTopics(Set.of(new NewTopic(stolen, 1, (short) 1))).all().get();
    }
    try (TopicLog log = TopicLog.fromStart(site.bootstrap(), stolen)) {
      String id = Site.unique("forged");
      Map<String, String> forged =
          Map.of("REPLY_TOPIC", stolen, "kafka_replyTopic", stolen, "REPLY_PARTITION", "0");

      site.post(nowhere(id).json().getBytes(StandardCharsets.UTF_8), forged);
      site.post("no JSON".getBytes(StandardCharsets.UTF_8), forged);

      site.statuses().await(id, RequestState.QUEUED);
      site.deadLetters().await("the dead letter", record -> "no JSON".equals(text(record.value())));
      assertThat(log.rest()).isEmpty();
    }
  }

  private void post(String json) {
    site.post(json.getBytes(StandardCharsets.UTF_8), Map.of());
  }

  private void cancel(String id) {
    site.send(site.topics().control(), new ControlMessage.Cancel(id, id, "too early"));
  }

  private static String reason(ConsumerRecord<byte[], byte[]> record) {
    return TopicLog.header(record, "stoker-reason");
  }

  private static String text(byte[] value) {
    return new String(value, StandardCharsets.UTF_8);
  }

  /** A request that no host of any test serves. */
  private static ARequest nowhere(String id) {
    return aRequest(id).resource("require", Map.of("only", "nowhere"));
  }
}
