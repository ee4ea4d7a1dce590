package io.stoker.dispatcher.service.protocol;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.test.junit.QuarkusTest;
import io.stoker.common.json.Json;
import io.stoker.common.message.ControlMessage;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.request.RetryId;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.scenario.ARequest;
import io.stoker.dispatcher.service.testing.OnRealServices;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What people ask for of requests: its effect comes once, however often and late it is asked. */
@QuarkusTest
@OnRealServices
class ControlTest extends WithSite {
  @Test
  void whatIsForgottenRunsAgainOnce() {
    String host = Site.unique("host");
    String meaning = Site.unique("meaning");
    String first = Site.unique("first");
    String again = Site.unique("again");
    String answered = Site.unique("answered");
    String forget = Site.unique("forget");
    try (HandAgent agent = HandAgent.start(site, host)) {
      site.post(on(host, first).meaning(meaning));
      agent.succeed(agent.awaitPlace(first, 1));
      site.statuses().await(first, RequestState.SUCCEEDED);

      tell(new ControlMessage.Forget(forget, first, null));
      awaitTold();
      site.post(on(host, again).meaning(meaning));
      agent.succeed(agent.awaitPlace(again, 1));
      RequestStatus second = site.statuses().await(again, RequestState.SUCCEEDED);
      // The same message later: what is remembered by now is not its business.
      tell(new ControlMessage.Forget(forget, first, null));
      awaitTold();
      site.post(on(host, answered).meaning(meaning));

      RequestStatus third = site.statuses().await(answered, RequestState.SUCCEEDED);
      assertThat(second.cached()).isFalse();
      assertThat(third.cached()).isTrue();
      assertThat(third.job()).isEqualTo(second.job());
    }
  }

  @Test
  void aFingerprintThatRunsIsNotForgotten() {
    String first = Site.unique("first");
    String equal = Site.unique("equal");
    String meaning = Site.unique("meaning");
    site.post(nowhere(first).meaning(meaning));
    RequestStatus queued = site.statuses().await(first, RequestState.QUEUED);

    tell(new ControlMessage.Forget(Site.unique("m"), null, queued.fingerprint()));
    awaitTold();
    site.post(nowhere(equal).meaning(meaning));

    assertThat(site.statuses().await(equal, RequestState.QUEUED).job()).isEqualTo(queued.job());
  }

  @Test
  void aRetryBringsTheDependenciesThatItFailedOfAndComesOnce() throws SQLException {
    String host = Site.unique("host");
    String good = Site.unique("good");
    String bad = Site.unique("bad");
    String top = Site.unique("top");
    String message = Site.unique("retry");
    String badAgain = RetryId.of(bad, message);
    String topAgain = RetryId.of(top, message);
    try (HandAgent agent = HandAgent.start(site, host)) {
      site.post(on(host, good), nowhere(bad), on(host, top).dependsOn(good, bad));
      agent.succeed(agent.awaitPlace(good, 1));
      site.statuses().await(bad, RequestState.QUEUED);
      tell(new ControlMessage.Cancel(Site.unique("m"), bad, "for now"));
      assertThat(site.statuses().await(top, RequestState.FAILED).code())
          .isEqualTo(Code.DEPENDENCY_FAILED);

      tell(new ControlMessage.Retry(message, top, null));
      tell(new ControlMessage.Retry(message, top, null));
      awaitTold();
      site.statuses().await(topAgain, RequestState.WAITING);
      site.statuses().await(badAgain, RequestState.QUEUED);
      // The dependency is to be served somewhere now, as a person would see to it.
      tell(new ControlMessage.Cancel(Site.unique("m"), badAgain, "again"));
      site.statuses().await(topAgain, RequestState.FAILED);
      tell(new ControlMessage.Retry(message, top, null));
      awaitTold();

      assertThat(site.query("select count(*) from request where spec like ?", "%" + top + "%"))
          .containsExactly("2");
      assertThat(site.statuses().await(top, RequestState.FAILED).version()).isPositive();
      assertThat(site.statuses().of(top))
          .extracting(RequestStatus::state)
          .endsWith(RequestState.FAILED);
    }
  }

  @Test
  void aRetryOfWhatHasNotEndedOrHasSucceededIsDeadLettered() {
    String lives = Site.unique("lives");
    site.post(nowhere(lives));
    site.statuses().await(lives, RequestState.QUEUED);

    assertThat(site.deadLetterReason(tell(new ControlMessage.Retry(Site.unique("m"), lives, null))))
        .isEqualTo(
            "request: " + lives + " is QUEUED, expected one that ended otherwise than SUCCEEDED");
    assertThat(
            site.deadLetterReason(
                tell(new ControlMessage.Retry(Site.unique("m"), "nobody-" + lives, null))))
        .contains("is not known");
  }

  @Test
  void aPriorityIsChangedOnceAMessage() throws SQLException {
    String request = Site.unique("request");
    site.post(nowhere(request));
    String job = site.statuses().await(request, RequestState.QUEUED).job();
    String high = Site.unique("high");

    tell(new ControlMessage.Priority(high, request, 9));
    tell(new ControlMessage.Priority(Site.unique("low"), request, 2));
    tell(new ControlMessage.Priority(high, request, 9));
    awaitTold();

    assertThat(site.query("select priority from job where id = ?", job)).containsExactly("2");
    assertThat(site.query("select priority from ready where job = ?", job)).containsExactly("2");
    site.post(nowhere(request));
    awaitTakenIn();
    assertThat(site.query("select priority from job where id = ?", job)).containsExactly("2");
  }

  /** The dispatcher takes cancels that come together in one transaction. */
  @Test
  void cancelsThatComeTogetherEachHaveTheirEffect() {
    List<String> alone = IntStream.range(0, 30).mapToObj(i -> Site.unique("alone")).toList();
    String leaves = Site.unique("leaves");
    String stays = Site.unique("stays");
    String needs = Site.unique("needs");
    String meaning = Site.unique("meaning");
    String later = Site.unique("later");
    alone.forEach(id -> site.post(nowhere(id)));
    site.post(
        nowhere(leaves).meaning(meaning),
        nowhere(stays).meaning(meaning),
        nowhere(needs).dependsOn(alone.getFirst()));
    site.statuses().await(needs, RequestState.WAITING);

    List<byte[]> messages = new ArrayList<>();
    alone.forEach(id -> messages.add(cancel(id, "not " + id)));
    messages.add(15, "no message".getBytes(StandardCharsets.UTF_8));
    messages.add(cancel("no id!", "why"));
    messages.add(cancel(leaves, "one of two"));
    messages.add(cancel(later, "before it came"));
    messages.add(cancel(alone.getFirst(), "once more"));
    List<RecordMetadata> sent = site.sendTogether(site.topics().control(), messages);

    for (String id : alone) {
      assertThat(site.statuses().await(id, RequestState.CANCELLED).reason()).contains("not " + id);
    }
    assertThat(site.statuses().await(needs, RequestState.FAILED).code())
        .isEqualTo(Code.DEPENDENCY_FAILED);
    site.statuses().await(leaves, RequestState.CANCELLED);
    site.post(nowhere(later));
    assertThat(site.statuses().await(later, RequestState.CANCELLED).reason())
        .contains("before it came");
    assertThat(site.deadLetterReason(sent.get(15))).startsWith("no control message");
    assertThat(site.deadLetterReason(sent.get(31))).startsWith("request: no id!");
    assertThat(site.statuses().of(stays))
        .extracting(RequestStatus::state)
        .containsOnly(RequestState.QUEUED);
  }

  @Test
  void anIdThatHasStoppedAGroupStopsNoOther() {
    String message = Site.unique("m");
    String first = Site.unique("group");
    String other = Site.unique("group");
    tell(stop(message, first));
    RecordMetadata again = tell(stop(message, first));
    RecordMetadata reused = tell(stop(message, other));
    awaitTold();

    assertThat(site.deadLetterReason(reused))
        .isEqualTo(
            "id: %s is that of a message about group %s, expected one of the message's own"
                .formatted(message, first));
    assertThat(site.deadLettersOf(again)).isEmpty();
  }

  private static ControlMessage stop(String message, String group) {
    return new ControlMessage.Group(message, group, "stop", null, null, null);
  }

  private static byte[] cancel(String request, String reason) {
    return Json.bytes(new ControlMessage.Cancel(request, request, reason));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"type\":\"priority\",\"id\":\"m\",\"request\":\"a\",\"priority\":1001}",
        "{\"type\":\"priority\",\"id\":\"m\",\"request\":\"no id!\",\"priority\":1}",
        "{\"type\":\"priority\",\"request\":\"a\",\"priority\":1}",
        "{\"type\":\"forget\",\"id\":\"m\"}",
        "{\"type\":\"forget\",\"id\":\"m\",\"request\":\"a\",\"fingerprint\":\"b\"}",
        "{\"type\":\"forget\",\"id\":\"m\",\"fingerprint\":\"ABC\"}",
        "{\"type\":\"forget\",\"id\":\"m\",\"request\":\"nobody-ever\"}",
        "{\"type\":\"retry\",\"id\":\"m\",\"request\":\"a\",\"as\":\"no id!\"}",
        "{\"type\":\"retry\",\"id\":\"\",\"request\":\"a\"}",
        "{\"type\":\"cancel\",\"id\":\"m\",\"request\":\"a\",\"reason\":\"\\u0000\"}",
        "{\"type\":\"cordon\",\"id\":\"m\",\"host\":\"a\",\"reason\":\"\\ud800\"}"
      })
  void aWrongMessageIsDeadLettered(String message) {
    RecordMetadata sent =
        site.send(site.topics().control(), message.getBytes(StandardCharsets.UTF_8), Map.of());

    assertThat(site.deadLetterReason(sent)).isNotBlank();
  }

  private RecordMetadata tell(ControlMessage message) {
    return site.send(site.topics().control(), message);
  }

  /** All control messages before this have had their effect: they are taken one after the other. */
  private void awaitTold() {
    String mark = awaitTakenIn();
    tell(new ControlMessage.Cancel(mark, mark, null));
    site.statuses().await(mark, RequestState.CANCELLED);
  }

  /** All requests before this have been taken in. Returns one behind them. */
  private String awaitTakenIn() {
    String mark = Site.unique("mark");
    site.post(nowhere(mark));
    site.statuses().await(mark, RequestState.QUEUED);
    return mark;
  }

  private static ARequest on(String host, String id) {
    return aRequest(id).resource("require", Map.of("only", host));
  }

  /** A request that no host of any test serves. */
  private static ARequest nowhere(String id) {
    return on("nowhere", id);
  }
}
