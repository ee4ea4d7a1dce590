package io.stoker.dispatcher.service.protocol;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.ControlMessage;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.coordinator.retention.RetentionTransaction;
import io.stoker.dispatcher.scenario.ARequest;
import io.stoker.dispatcher.service.testing.OnRealServices;
import io.stoker.dispatcher.store.Store;
import jakarta.inject.Inject;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Topics that have the statuses of one queue each, for who may read no others. */
@QuarkusTest
@OnRealServices
@TestProfile(IsolatedQueueTest.Apart.class)
class OwnStatusTopicTest extends WithSite {
  private static final long DEADLINE = 3_600_000;

  private final String id = Site.unique("own");
  private TopicLog vault;
  private TopicLog theirs;

  @Inject Store store;

  @BeforeEach
  void follow() {
    vault = TopicLog.whole(site.bootstrap(), site.topics().status("vault"));
    theirs = TopicLog.whole(site.bootstrap(), site.topics().status("theirs"));
  }

  @AfterEach
  void leave() {
    vault.close();
    theirs.close();
  }

  @Test
  void eachStatus_isOnItsQueuesTopicToo_andOnNoOthers() {
    site.post(nowhere(id).queue("theirs"));
    cancel();

    // They come there once the topic of all has them.
    await()
        .atMost(TopicLog.PATIENCE)
        .untilAsserted(() -> assertThat(of(theirs)).isEqualTo(site.statuses().of(id)));
    assertThat(of(vault)).isEmpty();
  }

  @Test
  void refusal_ofWhatCameByAQueuesOwnTopic_isOnItsTopicOfStatuses() {
    site.send(
        site.topics().requests("vault"),
        "{\"id\":\"%s\",\"command\":7}".formatted(id).getBytes(StandardCharsets.UTF_8),
        Map.of());

    vault.await("the refusal", this::isIts);

    assertThat(last(vault).state()).isEqualTo(RequestState.REJECTED);
    assertThat(last(vault).code()).isEqualTo(Code.INVALID_REQUEST);
    assertThat(of(theirs)).isEmpty();
  }

  /** Else anybody could fill the topics of others, under ids of his choice. */
  @Test
  void refusal_ofWhatNamesAQueueThatItsWayDoesNotLeadTo_isOnNoQueuesTopic() {
    site.post(nowhere(id).queue("nobody's"));

    site.statuses().await(id, RequestState.REJECTED);

    assertThat(of(vault)).isEmpty();
    assertThat(of(theirs)).isEmpty();
  }

  @Test
  void olderStatus_thatCameLastOnAQueuesTopic_isFollowedByTheNewest() {
    site.post(nowhere(id).queue("vault"));
    RequestStatus queued = site.statuses().await(id, RequestState.QUEUED);

    RequestStatus stale = RequestStatus.rejected(id, null, null, "no", null);
    site.put(site.topics().status("vault"), id, Json.bytes(stale));

    vault.await("what is stale", record -> isIts(record) && stale.equals(status(record)));
    TopicLog.until("its newest status comes last", () -> last(vault).version() >= queued.version());
  }

  @Test
  void requestThatIsNoMore_leavesATombstoneOnItsQueuesTopic() throws SQLException {
    site.post(nowhere(id).queue("theirs"));
    cancel();
    site.age(id);

    new RetentionTransaction(store).requests(0, DEADLINE).await().atMost(TopicLog.PATIENCE);

    theirs.await("its tombstone", record -> isIts(record) && record.value() == null);
    assertThat(vault.all()).noneMatch(this::isIts);
  }

  /** Not in {@code vault}, which does not let it wait. */
  private void cancel() {
    site.statuses().await(id, RequestState.QUEUED);
    site.send(site.topics().control(), new ControlMessage.Cancel(Site.unique("m"), id, "over"));
    site.statuses().await(id, RequestState.CANCELLED);
  }

  private boolean isIts(ConsumerRecord<byte[], byte[]> record) {
    return id.equals(TopicLog.key(record));
  }

  private List<RequestStatus> of(TopicLog log) {
    return log.all().stream().filter(this::isIts).map(OwnStatusTopicTest::status).toList();
  }

  private RequestStatus last(TopicLog log) {
    return last(of(log));
  }

  private static RequestStatus last(List<RequestStatus> statuses) {
    return statuses.getLast();
  }

  private static RequestStatus status(ConsumerRecord<byte[], byte[]> record) {
    try {
      return Json.read(record.value(), RequestStatus.class);
    } catch (MalformedJson e) {
      throw new AssertionError(e);
    }
  }

  private static ARequest nowhere(String id) {
    return aRequest(id).resource("require", Map.of("only", "nowhere"));
  }
}
