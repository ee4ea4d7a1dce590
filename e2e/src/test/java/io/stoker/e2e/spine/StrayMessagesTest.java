package io.stoker.e2e.spine;

import static io.stoker.common.fixture.APlace.aPlace;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.cli.local.StackSettings;
import io.stoker.common.json.Json;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.EventsRecord;
import io.stoker.common.message.HostMessage;
import io.stoker.common.message.PlacementsRecord;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.message.ToAgent;
import io.stoker.common.security.Macs;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.stack.DeadLetterLog.Letter;
import io.stoker.e2e.stack.Posted;
import io.stoker.e2e.stack.SharedStack;
import io.stoker.e2e.stack.StokerStack;
import io.stoker.e2e.stack.TopicLog;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What nobody had the right to say, or said in the wrong place, moves nothing. */
@ExtendWith(SharedStack.class)
@Timeout(1_200)
class StrayMessagesTest {
  private static final byte[] FORGED_TOKEN = "forged".getBytes(StandardCharsets.UTF_8);

  @TempDir Path folder;

  private final StokerStack stack;

  StrayMessagesTest(StokerStack stack) {
    this.stack = stack;
  }

  enum Stray {
    REQUEST {
      @Override
      byte[] bytes() {
        return Posted.script("stray-request", "exit 0").bytes();
      }
    },
    EVENT {
      @Override
      byte[] bytes() {
        return Json.bytes(new EventsRecord("host-1", 1, List.of(success("no-such-job", 1, 9))));
      }
    },
    HEARTBEAT {
      @Override
      byte[] bytes() {
        return Json.bytes(
            new HostMessage.Heartbeat(
                "host-1", 1, 1, 1, 1, List.of(), new HostMessage.Reserved(0, 0), List.of()));
      }
    };

    abstract byte[] bytes();
  }

  @ParameterizedTest
  @CsvSource({
    "EVENT, stoker.requests",
    "HEARTBEAT, stoker.requests",
    "REQUEST, stoker.events",
    "HEARTBEAT, stoker.events",
    "REQUEST, stoker.heartbeats",
    "EVENT, stoker.heartbeats",
    "REQUEST, stoker.control",
    "EVENT, stoker.control",
    "EVENT, stoker.events",
    "HEARTBEAT, stoker.heartbeats"
  })
  void aMessageOnTheWrongTopicOrWithoutARightIsADeadLetter(Stray stray, String topic) {
    String key = "stray-" + stray + "-on-" + topic;
    stack.producer().send(new ProducerRecord<>(topic, key, stray.bytes()));
    stack.producer().flush();

    Letter letter = stack.deadLetters().await(one -> key.equals(one.key()), "of " + key);

    assertThat(letter.reason()).isNotBlank();
    assertThat(letter.topic()).isEqualTo(topic);
    assertThat(letter.value()).isEqualTo(stray.bytes());
    assertStillServes(key);
    assertThat(stack.statuses().history("stray-request")).isEmpty();
  }

  @Test
  void anEventWithAWrongLeaseTokenEndsNothing() throws Exception {
    Gate gate = Gate.in(folder, "gate");
    stack.post(Posted.script("forged", gate.await() + "echo '#stoker:result \"real\"'"));
    RequestStatus running = stack.statuses().await("forged", RequestState.RUNNING);
    AttemptEvent event = success(running.job(), running.attempt(), 1_000);
    send(running.host(), event.signed(Macs.sign(FORGED_TOKEN, event)));

    Letter letter =
        stack
            .deadLetters()
            .await(
                one -> running.job().equals(one.key()) && one.reason().contains("token"), "of it");
    gate.open();
    RequestStatus end = stack.statuses().awaitEnd("forged");

    assertThat(letter.topic()).isEqualTo(stack.topics().events());
    assertThat(end.result()).isEqualTo(Json.read("\"real\""));
  }

  @Test
  void anEventFromAnotherHostEndsNothing() throws Exception {
    Gate gate = Gate.in(folder, "gate");
    stack.post(Posted.script("meddled", gate.await() + "echo '#stoker:result \"real\"'"));
    RequestStatus running = stack.statuses().await("meddled", RequestState.RUNNING);
    String other = running.host().equals("host-1") ? "host-2" : "host-1";
    String token = stack.database().one("select token from attempt where job = ?", running.job());
    AttemptEvent event = success(running.job(), running.attempt(), 1_000);
    send(other, event.signed(Macs.sign(Base64.getDecoder().decode(token), event)));

    Letter letter =
        stack
            .deadLetters()
            .await(
                one -> running.job().equals(one.key()) && one.reason().contains("host"), "of it");
    gate.open();

    assertThat(letter.reason()).contains(running.host());
    assertThat(stack.statuses().awaitEnd("meddled").result()).isEqualTo(Json.read("\"real\""));
  }

  @Test
  void aPlacementForAnotherEpochIsNotRun() throws Exception {
    RunCount count = RunCount.in(folder, "count");
    byte[] record = placement("0-forged-job", 999_999, count);
    String secret = StackSettings.read(stack.data()).orElseThrow().hostSecret();
    byte[] key = Macs.hostKey(HexFormat.of().parseHex(secret), "host-1");
    tellHost1("0-forged-job", Macs.seal(Macs.placementsKey(key), record));

    Letter letter =
        stack
            .deadLetters()
            .await(
                one -> "0-forged-job".equals(one.key()) && one.reason().contains("epoch"),
                "of the placement");

    assertThat(letter.reason()).contains("999999");
    assertThat(letter.topic()).isEqualTo(stack.topics().placements("host-1"));
    assertStillServes("after-forged-placement");
    assertThat(count.runs()).isZero();
  }

  @Test
  void aPlacementInTheEpochOfNow_thatIsNotSigned_isNotRun() throws Exception {
    assertStillServes("before-unsigned-placement");
    RunCount count = RunCount.in(folder, "count");
    long epoch =
        Long.parseLong(stack.database().one("select epoch from host where id = ?", "host-1"));
    tellHost1("unsigned-job", placement("unsigned-job", epoch, count));
    byte[] stolen = Macs.seal(FORGED_TOKEN, placement("wrong-job", epoch, count));
    tellHost1("wrong-job", stolen);

    Letter unsigned =
        stack.deadLetters().await(one -> "unsigned-job".equals(one.key()), "of the unsigned one");
    Letter wrong =
        stack.deadLetters().await(one -> "wrong-job".equals(one.key()), "of the wrong one");

    assertThat(unsigned.reason()).contains("not signed");
    assertThat(wrong.reason()).contains("signature").contains("key of this host");
    assertStillServes("after-unsigned-placement");
    assertThat(count.runs()).isZero();
  }

  private static byte[] placement(String job, long epoch, RunCount count) {
    ToAgent.Place place =
        aPlace(job)
            .token(Base64.getEncoder().encodeToString(FORGED_TOKEN))
            .notAfter(System.currentTimeMillis() + 600_000)
            .request("forged-placement")
            .command("sh", "-c", count.add())
            .build();
    return Json.bytes(new PlacementsRecord("host-1", epoch, List.of(place)));
  }

  private void tellHost1(String job, byte[] record) {
    stack.producer().send(new ProducerRecord<>(stack.topics().placements("host-1"), job, record));
    stack.producer().flush();
  }

  @Test
  void replyHeadersRedirectNothing() throws Exception {
    try (TopicLog<String> logs =
        new TopicLog<>(
            stack.processes().info().kafka(),
            stack.topics().logs(),
            StrayMessagesTest::statusKey)) {
      for (String id : List.of("redirected", "redirected-bad")) {
        Posted posted = Posted.script(id, "exit 0");
        ProducerRecord<String, byte[]> record =
            new ProducerRecord<>(
                stack.topics().requests(),
                id,
                (id.endsWith("bad") ? posted.with("colour", "red") : posted).bytes());
        record.headers().add("REPLY_TOPIC", utf8(stack.topics().logs()));
        record.headers().add("REPLY_PARTITION", new byte[] {0, 0, 0, 0});
        record.headers().add("REPLY_CORRELATION_ID", utf8("1"));
        stack.producer().send(record);
      }
      stack.producer().flush();

      assertThat(stack.statuses().awaitEnd("redirected").state()).isEqualTo(RequestState.SUCCEEDED);
      assertThat(stack.statuses().awaitEnd("redirected-bad").state())
          .isEqualTo(RequestState.REJECTED);
      stack.deadLetters().await(one -> "redirected-bad".equals(one.key()), "of the bad one");
      assertStillServes("after-redirected");
      assertThat(logs.all()).doesNotContain("redirected", "redirected-bad");
    }
  }

  private static String statusKey(ConsumerRecord<String, byte[]> record) {
    return String.valueOf(record.key());
  }

  private void assertStillServes(String id) {
    stack.post(Posted.script("served-" + id, "exit 0 # " + id));
    assertThat(stack.statuses().awaitEnd("served-" + id).state()).isEqualTo(RequestState.SUCCEEDED);
  }

  private void send(String host, AttemptEvent event) {
    stack
        .producer()
        .send(
            new ProducerRecord<>(
                stack.topics().events(),
                event.job(),
                Json.bytes(new EventsRecord(host, 1, List.of(event)))));
    stack.producer().flush();
  }

  private static AttemptEvent success(String job, int attempt, int seq) {
    return AttemptEvent.of(job, attempt)
        .seq(seq)
        .type(AttemptEvent.Type.ENDED)
        .at(1_000)
        .devices(List.of())
        .outcome(Outcome.SUCCEEDED)
        .message("forged")
        .exitCode(0)
        .mac("none")
        .build();
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
