package io.stoker.dispatcher.service.protocol;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.test.junit.QuarkusTest;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.EventsRecord;
import io.stoker.common.message.HostMessage.Heartbeat;
import io.stoker.common.message.HostMessage.Reserved;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.scenario.ARequest;
import io.stoker.dispatcher.service.testing.OnRealServices;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bad records: each is answered, none has an effect on those around it. */
@QuarkusTest
@OnRealServices
class BadRecordsTest extends WithSite {
  /** Bad requests ({@code ID} stands for an id), and what their refusal speaks of. */
  enum Bad {
    NO_JSON("this is no JSON", "JSON"),
    TRUNCATED("{\"id\":\"ID\",\"command\":[\"x\"", "JSON"),
    EMPTY("", "JSON"),
    AN_ARRAY("[]", "object"),
    WRONG_TYPE("{\"id\":\"ID\",\"command\":\"x\"}", "command"),
    UNKNOWN_FIELD("{\"id\":\"ID\",\"command\":[\"x\"],\"colour\":\"red\"}", "colour"),
    DUPLICATE_KEY("{\"id\":\"ID\",\"command\":[\"x\"],\"priority\":1,\"priority\":2}", "priority"),
    MISSING_ID("{\"command\":[\"x\"]}", "id"),
    LONG_ID("{\"id\":\"" + "x".repeat(10_000) + "\",\"command\":[\"x\"]}", "id"),
    NEGATIVE_GPUS("{\"id\":\"ID\",\"command\":[\"x\"],\"resources\":{\"gpus\":-1}}", "gpus"),
    NO_SIZE("{\"id\":\"ID\",\"command\":[\"x\"],\"resources\":{\"memory\":\"4Gb\"}}", "memory"),
    ITSELF("{\"id\":\"ID\",\"command\":[\"x\"],\"dependsOn\":[\"ID\"]}", "dependsOn"),
    NUL("{\"id\":\"ID\",\"command\":[\"\\u0000\"]}", "command"),
    LONE_SURROGATE("{\"id\":\"ID\",\"command\":[\"\\ud800\"]}", "command"),
    TEN_MB("{\"id\":\"ID\",\"command\":[\"" + "x".repeat(10_000_000) + "\"]}", "1048576");

    private final String json;
    private final String about;

    Bad(String json, String about) {
      this.json = json;
      this.about = about;
    }

    String json() {
      return json;
    }

    String about() {
      return about;
    }

    /** Whether somebody who reads the record can tell its id. */
    boolean tellsItsId() {
      return json.contains("\"ID\"")
          && this != TRUNCATED
          && this != TEN_MB
          && this != DUPLICATE_KEY;
    }
  }

  @Test
  void badRecordsBesideGoodOnes() {
    String run = Site.unique("run");
    Map<Bad, RecordMetadata> posted = new EnumMap<>(Bad.class);
    for (Bad bad : Bad.values()) {
      site.post(nowhere(run + "-good-" + bad));
      byte[] value = bad.json.replace("ID", run + "-" + bad).getBytes(StandardCharsets.UTF_8);
      posted.put(bad, site.post(value, Map.of()));
    }
    byte[] badUtf8 = "{\"id\":\"x\",\"command\":[\"?\"]}".getBytes(StandardCharsets.ISO_8859_1);
    badUtf8[badUtf8.length - 4] = (byte) 0xff;
    RecordMetadata notUtf8 = site.post(badUtf8, Map.of());
    site.post(nowhere(run + "-last"));

    site.statuses().await(run + "-last", RequestState.QUEUED);
    for (Bad bad : Bad.values()) {
      site.statuses().await(run + "-good-" + bad, RequestState.QUEUED);
      ConsumerRecord<byte[], byte[]> letter = site.deadLetter(posted.get(bad));
      assertThat(TopicLog.header(letter, "stoker-reason")).as("%s", bad).contains(bad.about);
      assertThat(letter.value().length).as("%s", bad).isLessThanOrEqualTo(64 * 1024);
      if (bad.tellsItsId()) {
        RequestStatus status = site.statuses().await(run + "-" + bad, RequestState.REJECTED);
        assertThat(status.reason()).as("%s", bad).contains(bad.about);
      }
    }
    assertThat(site.deadLetterReason(notUtf8)).contains("UTF-8");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "application/cloudevents+json",
        "application/cloudevents+json; charset=UTF-8",
        "application/cloudevents-batch+json",
        "application/cloudevents+avro"
      })
  void aRecordThatSaysItIsAnEventAndIsNoneStopsNobody(String type) {
    for (String value : List.of("", "no event", "5", "[]", "{}", "{\"specversion\":\"9\"}")) {
      RecordMetadata sent =
          site.post(
              value.getBytes(StandardCharsets.UTF_8),
              Map.of("content-type", type, "ce_specversion", "9.9"));
      assertThat(site.deadLetterReason(sent)).as(value).isNotBlank();
    }
    String good = Site.unique("good");
    site.post(nowhere(good));
    site.statuses().await(good, RequestState.QUEUED);
  }

  @Test
  void whatIsTooLargeForADeadLetterIsCutAndStopsNobody() {
    byte[] binary = new byte[500_000];
    Arrays.fill(binary, (byte) 0xff);
    String run = Site.unique("run");
    String letters = "k".repeat(2_000_000);
    List<RecordMetadata> sent =
        List.of(
            site.put(site.topics().requests(), letters, binary),
            site.put(site.topics().requests(), binary, binary),
            site.send(
                site.topics().control(),
                Map.of(
                    "type", "group", "id", run, "action", "close", "group", "g".repeat(990_000))));

    sent.forEach(one -> assertThat(site.deadLetter(one).key().length).isBetween(1, 3 * 1024));
    assertThat(site.deadLetterReason(sent.getLast()))
        .startsWith("group: ggg")
        .hasSizeLessThan(5_000);
    assertThat(new String(site.deadLetter(sent.getFirst()).key(), StandardCharsets.UTF_8))
        .isEqualTo(letters.substring(0, 1024));
    site.post(nowhere(run));
    site.send(site.topics().control(), Map.of("type", "cancel", "id", run, "request", run));
    site.statuses().await(run, RequestState.CANCELLED);
  }

  /** Records on topics where they do not belong, or in no form that is known. */
  enum Stray {
    HEARTBEAT_ON_EVENTS,
    EVENT_ON_HEARTBEATS,
    NONSENSE_ON_EVENTS,
    NONSENSE_ON_CONTROL,
    NONSENSE_ON_HEARTBEATS,
    CANCEL_OF_NO_ID,
    EVENT_OF_ANOTHER_VERSION,
    EVENT_OF_AN_UNKNOWN_JOB
  }

  @ParameterizedTest
  @EnumSource
  void aStrayRecordIsDeadLettered(Stray stray) {
    RecordMetadata sent = send(stray);

    assertThat(site.deadLetterReason(sent)).isNotBlank();
    String good = Site.unique("good");
    site.post(nowhere(good));
    site.statuses().await(good, RequestState.QUEUED);
  }

  private RecordMetadata send(Stray stray) {
    var topics = site.topics();
    var event =
        AttemptEvent.of("nobody", 1).type(AttemptEvent.Type.RUNNING).at(1).mac("00").build();
    EventsRecord events = new EventsRecord("h", 1, List.of(event));
    return switch (stray) {
      case HEARTBEAT_ON_EVENTS ->
          site.send(
              topics.events(),
              new Heartbeat("h", 1, 1, 1, 1, List.of(), new Reserved(0, 0), List.of()));
      case EVENT_ON_HEARTBEATS -> site.send(topics.heartbeats(), events);
      case NONSENSE_ON_EVENTS -> site.send(topics.events(), new byte[] {1, 2, 3}, Map.of());
      case NONSENSE_ON_CONTROL -> site.send(topics.control(), new byte[] {'{'}, Map.of());
      case NONSENSE_ON_HEARTBEATS -> site.send(topics.heartbeats(), new byte[0], Map.of());
      case CANCEL_OF_NO_ID ->
          site.send(topics.control(), Map.of("type", "cancel", "id", "1", "request", "no id!"));
      case EVENT_OF_ANOTHER_VERSION ->
          site.send(topics.events(), new EventsRecord(99, "h", 1, List.of(event)));
      case EVENT_OF_AN_UNKNOWN_JOB -> site.send(topics.events(), events);
    };
  }

  /** A request that no host of any test serves. */
  private static ARequest nowhere(String id) {
    return aRequest(id).resource("require", Map.of("only", "nowhere"));
  }
}
