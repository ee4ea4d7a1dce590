package io.stoker.e2e.spine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.stoker.common.json.Json;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.stack.Posted;
import io.stoker.e2e.stack.SharedStack;
import io.stoker.e2e.stack.StatusLog.Entry;
import io.stoker.e2e.stack.StokerStack;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Kafka in, Kafka out: whoever can write a record can run a job, and read how it ended. */
@ExtendWith(SharedStack.class)
@Timeout(1_200)
class PlainKafkaTest {
  private final StokerStack stack;

  PlainKafkaTest(StokerStack stack) {
    this.stack = stack;
  }

  @Test
  void aJsonValueWithoutHeadersLeadsToItsResult() throws Exception {
    stack.post(
        Posted.script(
            "plain",
            "echo '#stoker:progress 0.5'; sleep 0.1; echo '#stoker:result {\"accuracy\":0.9}'"));

    RequestStatus end = stack.statuses().awaitEnd("plain");

    assertThat(end.state()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(end.result()).isEqualTo(Json.read("{\"accuracy\":0.9}"));
    assertThat(end.exitCode()).isZero();
    assertThat(end.attempt()).isEqualTo(1);
    assertThat(end.host()).startsWith("host-");
    assertThat(end.job()).isNotBlank();
    assertThat(end.fingerprint()).hasSize(64);
    assertThat(end.shared()).isFalse();
    assertThat(end.cached()).isFalse();
  }

  @Test
  void statusesAreKeyedByTheIdAndRiseInVersionAndState() {
    stack.post(Posted.script("rising", "sleep 0.3"));

    stack.statuses().awaitEnd("rising");

    List<RequestStatus> seen = stack.statuses().seen("rising");
    assertThat(seen).extracting(RequestStatus::version).isSorted().doesNotHaveDuplicates();
    assertThat(seen).extracting(RequestStatus::state).isSorted();
    assertThat(seen).first().extracting(RequestStatus::version).isNotEqualTo(0L);
    assertThat(stack.statuses().history("rising"))
        .allSatisfy(entry -> assertThat(entry.record().key()).isEqualTo("rising"));
  }

  @Test
  void statusesAreCloudEventsInBinaryMode() {
    stack.post(Posted.script("event-out", "exit 0"));

    RequestStatus ended = stack.statuses().awaitEnd("event-out");

    // Not the last: the other dispatcher may say an older one a moment later.
    Entry end = stack.statuses().said(ended).getFirst();
    assertThat(header(end, "ce_specversion")).isEqualTo("1.0");
    assertThat(header(end, "ce_type")).isEqualTo("io.stoker.request.succeeded");
    assertThat(header(end, "ce_source")).isNotBlank();
    assertThat(header(end, "ce_subject")).isEqualTo("event-out");
    assertThat(header(end, "ce_id")).isEqualTo("event-out/" + ended.version());
    assertThat(header(end, "content-type")).startsWith("application/json");
  }

  @Test
  void theKeyIsTheProducersChoice() {
    byte[] value = Posted.script("keyless", "echo '#stoker:result 1'").bytes();
    stack.producer().send(new ProducerRecord<>(stack.topics().requests(), value));
    stack.producer().flush();

    assertThat(stack.statuses().awaitEnd("keyless").state()).isEqualTo(RequestState.SUCCEEDED);
  }

  @Test
  void aBinaryCloudEventHasItsIdInTheHeader() throws Exception {
    ObjectNode body = Posted.script("unused", "echo '#stoker:result 2'").body();
    body.remove("id");
    ProducerRecord<String, byte[]> event =
        new ProducerRecord<>(stack.topics().requests(), "any", Json.bytes(body));
    put(event, "ce_specversion", "1.0");
    put(event, "ce_id", "event-binary");
    put(event, "ce_type", "org.example.train");
    put(event, "ce_source", "/lab");
    put(event, "content-type", "application/json");
    stack.producer().send(event);
    stack.producer().flush();

    RequestStatus end = stack.statuses().awaitEnd("event-binary");
    assertThat(end.state()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(end.result()).isEqualTo(Json.read("2"));
  }

  @Test
  void aStructuredCloudEventHasItsIdInTheEnvelope() throws Exception {
    ObjectNode body = Posted.script("unused", "echo '#stoker:result 3'").body();
    body.remove("id");
    ObjectNode envelope = JsonNodeFactory.instance.objectNode();
    envelope.put("specversion", "1.0");
    envelope.put("id", "event-structured");
    envelope.put("type", "org.example.train");
    envelope.put("source", "/lab");
    envelope.put("datacontenttype", "application/json");
    envelope.set("data", body);
    ProducerRecord<String, byte[]> event =
        new ProducerRecord<>(stack.topics().requests(), "any", Json.bytes(envelope));
    put(event, "content-type", "application/cloudevents+json; charset=UTF-8");
    stack.producer().send(event);
    stack.producer().flush();

    RequestStatus end = stack.statuses().awaitEnd("event-structured");
    assertThat(end.state()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(end.result()).isEqualTo(Json.read("3"));
  }

  @Test
  void aRecordMayHoldSeveralRequests() throws Exception {
    List<ObjectNode> bodies =
        IntStream.range(0, 20)
            .mapToObj(i -> Posted.script("several-" + i, "echo '#stoker:result %d'".formatted(i)))
            .map(Posted::body)
            .toList();
    stack.producer().request("any", Json.bytes(bodies));
    stack.producer().flush();

    for (int i = 0; i < bodies.size(); i++) {
      assertThat(stack.statuses().awaitEnd("several-" + i).result())
          .isEqualTo(Json.read(String.valueOf(i)));
    }
  }

  @Test
  void aBatchOfCloudEventsIsSeveralRequests() throws Exception {
    List<ObjectNode> events = new ArrayList<>();
    for (String id : List.of("event-batch-1", "event-batch-2")) {
      ObjectNode body =
          Posted.script("unused", "echo '#stoker:result \"%s\"'".formatted(id)).body();
      body.remove("id");
      ObjectNode event = JsonNodeFactory.instance.objectNode();
      event.put("specversion", "1.0").put("id", id).put("source", "/lab");
      event.put("type", "org.example.train").set("data", body);
      events.add(event);
    }
    ProducerRecord<String, byte[]> batch =
        new ProducerRecord<>(stack.topics().requests(), "any", Json.bytes(events));
    put(batch, "content-type", "application/cloudevents-batch+json");
    stack.producer().send(batch);
    stack.producer().flush();

    for (String id : List.of("event-batch-1", "event-batch-2")) {
      assertThat(stack.statuses().awaitEnd(id).result().textValue()).isEqualTo(id);
    }
  }

  private static void put(ProducerRecord<String, byte[]> record, String name, String value) {
    record.headers().add(name, value.getBytes(StandardCharsets.UTF_8));
  }

  private static String header(Entry entry, String name) {
    Header header = entry.record().headers().lastHeader(name);
    return header == null ? null : new String(header.value(), StandardCharsets.UTF_8);
  }
}
