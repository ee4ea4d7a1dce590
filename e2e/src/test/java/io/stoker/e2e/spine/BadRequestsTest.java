package io.stoker.e2e.spine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.json.Json;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.stack.DeadLetterLog.Letter;
import io.stoker.e2e.stack.Posted;
import io.stoker.e2e.stack.SharedStack;
import io.stoker.e2e.stack.StatusLog;
import io.stoker.e2e.stack.StokerStack;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What cannot be a request is refused with its reason, under its id where it has one, and stops
 * nobody: each bad record lies between two good ones on the same partition.
 */
@ExtendWith(SharedStack.class)
@Timeout(1_200)
class BadRequestsTest {
  private static final int KEPT = 64 * 1024;
  private static final int TEN_MEGABYTES = 10 << 20;

  private final StokerStack stack;

  BadRequestsTest(StokerStack stack) {
    this.stack = stack;
  }

  /**
   * A record that is refused.
   *
   * @param name also the record's key
   * @param eventId its {@code ce_id} header, if it has one
   * @param rejected the id under which a status says so, if one can be read
   * @param reason part of it
   */
  record Bad(
      String name,
      byte[] value,
      Optional<String> eventId,
      Optional<String> rejected,
      String reason) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Bad> records() {
    String long10k = "x".repeat(10_000);
    return Stream.of(
        unreadable("empty", "", "nothing"),
        unreadable("not-json", "run my training please", "request"),
        unreadable("truncated", "{\"id\":\"truncated\",\"command\":[\"true\"", "request"),
        new Bad(
            "bad-utf-8",
            "{\"id\":\"bad-utf-8\",\"command\":[\"\u00ff\"]}".getBytes(StandardCharsets.ISO_8859_1),
            Optional.empty(),
            Optional.empty(),
            "UTF-8"),
        unreadable("not-an-object", "\"not-an-object\"", "object"),
        unreadable("empty-array", "[]", "array"),
        unreadable("missing-id", "{\"command\":[\"missing-id\"]}", "id"),
        unreadable("numeric-id", "{\"id\":1234,\"command\":[\"true\"]}", "id"),
        unreadable("long-id", "{\"id\":\"" + long10k + "\",\"command\":[\"true\"]}", "id"),
        unreadable("ten-megabytes", huge("ten-megabytes"), "bytes"),
        new Bad(
            "ten-megabytes-by-event",
            huge("ten-megabytes-by-event").getBytes(StandardCharsets.UTF_8),
            Optional.of("ten-megabytes-by-event"),
            Optional.of("ten-megabytes-by-event"),
            "bytes"),
        new Bad(
            "truncated-event",
            "{\"command\":[\"truncated-event".getBytes(StandardCharsets.UTF_8),
            Optional.of("truncated-event"),
            Optional.of("truncated-event"),
            "request"),
        refused("wrong-type", "command", "true", "command"),
        refused("wrong-element", "command", new Object[] {"true", 1}, "command"),
        refused("wrong-object", "resources", "many", "resources"),
        refused("wrong-number", "priority", "high", "priority"),
        refused("unknown-field", "colour", "red", "colour"),
        refused("unknown-inner-field", "resources", Map.of("gpu", 1), "gpu"),
        refused("no-gpus", "resources", Map.of("gpus", -1), "gpus"),
        refused("bits", "resources", Map.of("memory", "4Gb"), "memory"),
        refused("own-dependency", "dependsOn", new Object[] {"own-dependency"}, "dependsOn"),
        refused("bad-timeout", "timeout", "soon", "timeout"),
        refused("nul", "params", Map.of("text", "a\u0000b"), "params"));
  }

  private static Bad unreadable(String name, String value, String reason) {
    return new Bad(
        name, value.getBytes(StandardCharsets.UTF_8), Optional.empty(), Optional.empty(), reason);
  }

  private static Bad refused(String name, String field, Object value, String reason) {
    return new Bad(
        name,
        Posted.script(name, "exit 0").with(field, value).bytes(),
        Optional.empty(),
        Optional.of(name),
        reason);
  }

  private static String huge(String id) {
    return "{\"id\":\"%s\",\"command\":[\"true\",\"%s\"]}".formatted(id, "y".repeat(TEN_MEGABYTES));
  }

  @ParameterizedTest
  @MethodSource("records")
  void aBadRecordIsRefusedWithItsReasonAndTheOthersRun(Bad bad) {
    String before = "before-" + bad.name();
    String after = "after-" + bad.name();
    ProducerRecord<String, byte[]> record =
        new ProducerRecord<>(stack.topics().requests(), bad.name(), bad.value());
    bad.eventId()
        .ifPresent(id -> record.headers().add("ce_id", id.getBytes(StandardCharsets.UTF_8)));

    stack.producer().request(bad.name(), Posted.script(before, "exit 0").bytes());
    stack.producer().send(record);
    stack.producer().request(bad.name(), Posted.script(after, "exit 0").bytes());
    stack.producer().flush();

    Letter letter = stack.deadLetters().await(one -> bad.name().equals(one.key()), bad.name());
    assertThat(letter.reason()).contains(bad.reason()).hasSizeLessThan(2_000);
    assertThat(letter.topic()).isEqualTo(stack.topics().requests());
    assertThat(letter.value())
        .isEqualTo(Arrays.copyOf(bad.value(), Math.min(KEPT, bad.value().length)));
    bad.rejected().ifPresent(id -> assertRejected(id, bad.reason()));
    assertThat(stack.statuses().awaitEnd(before).state()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(stack.statuses().awaitEnd(after).state()).isEqualTo(RequestState.SUCCEEDED);
    if (bad.rejected().isEmpty()) {
      assertThat(stack.statuses().history(bad.name())).isEmpty();
    }
  }

  @Test
  void aBadOneInAnArrayIsRefusedByItselfAndTheOthersRun() {
    String bad = "{\"id\":\"bad-in-array\",\"command\":\"true\"}";
    String good = new String(Posted.script("good-in-array", "exit 0").bytes(), UTF_8);
    String broken = "{\"id\":\"broken-in-array\",\"id\":\"x\",\"command\":[\"true\"]}";
    String last = new String(Posted.script("last-in-array", "exit 0").bytes(), UTF_8);
    String array = "[%s, %s, %s, %s]".formatted(bad, good, broken, last);

    stack.producer().request("array", array.getBytes(UTF_8));
    stack.producer().flush();

    assertThat(stack.statuses().awaitEnd("good-in-array").state())
        .isEqualTo(RequestState.SUCCEEDED);
    assertThat(stack.statuses().awaitEnd("last-in-array").state())
        .isEqualTo(RequestState.SUCCEEDED);
    assertRejected("bad-in-array", "requests[0]: command");
    Letter first =
        stack.deadLetters().await(one -> one.reason().startsWith("requests[0]: command"), "of 0");
    assertThat(first.text()).isEqualTo(bad);
    Letter third =
        stack.deadLetters().await(one -> one.reason().startsWith("requests[2]: request"), "of 2");
    assertThat(third.text()).isEqualTo(broken);
    assertThat(third.key()).isEqualTo("array");
    assertThat(stack.statuses().history("broken-in-array")).isEmpty();
  }

  private void assertRejected(String id, String reason) {
    RequestStatus status = stack.statuses().await(id, RequestState.REJECTED);
    assertThat(status.code()).isEqualTo(Code.INVALID_REQUEST);
    assertThat(status.version()).isZero();
    assertThat(status.reason()).contains(reason);
    assertThat(status.job()).isNull();
  }

  @Test
  void textThatLooksLikeALineOfTheLog_beginsNone() throws Exception {
    String forged = "2026-01-01 00:00:00.000 INFO  [i.s.Forged] said-" + UUID.randomUUID();
    String field = Json.text("x\r\n" + forged + "\u001b[2J");
    stack
        .producer()
        .request(
            "log-line",
            "{\"id\":\"log-line\",\"command\":[\"true\"],%s:1}".formatted(field).getBytes(UTF_8));
    stack.producer().flush();

    Letter letter = stack.deadLetters().await(one -> "log-line".equals(one.key()), "of log-line");

    assertThat(letter.reason()).as("what is logged of it").contains(forged);
    Path logs = stack.data().log("any").getParent();
    Awaitility.await()
        .atMost(StatusLog.PATIENCE)
        .untilAsserted(() -> assertThat(Spills.inFiles(logs, forged)).isNotEmpty());
    for (Path log : Spills.inFiles(logs, forged)) {
      assertThat(Files.readAllLines(log))
          .filteredOn(line -> line.contains(forged))
          .allMatch(line -> line.contains("x\\u000d\\u000a" + forged + "\\u001b[2J"));
    }
  }
}
