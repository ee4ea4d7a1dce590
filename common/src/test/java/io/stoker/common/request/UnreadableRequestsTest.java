package io.stoker.common.request;

import static io.stoker.common.request.Refusals.COMMAND;
import static io.stoker.common.request.Refusals.assertRefused;
import static io.stoker.common.request.Refusals.bytes;
import static io.stoker.common.request.Refusals.refusal;
import static io.stoker.common.request.RequestParserTest.command;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.size.ByteSize;
import io.stoker.common.size.Durations;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Records that are no request, and how they are answered to. */
class UnreadableRequestsTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "not JSON",
        "{\"id\": \"a\", \"command\": [\"x\"]",
        "{\"id\": \"a\", \"id\": \"a\", \"command\": [\"x\"]}",
        "{\"id\": \"a\", \"command\": [\"x\"], \"params\": {\"p\": 1, \"p\": 1}}",
        "{\"id\": \"a\", \"command\": [\"x\"]} {}",
        "{\"id\": \"a\", \"command\": [\"x\"], \"params\": {\"n\": 1e99999999999}}",
        "{\"id\": \"a\", \"command\": [\"x\"], \"priority\": NaN}",
        "[]",
        "null",
        "\"a\"",
        "5",
        ""
      })
  void withoutAReadableObjectOnlyTheTransportsIdCounts(String record) {
    assertRefused(refusal(record), null, "request", "a JSON object");
    assertRefused(refusal(bytes(record), "ce-1"), "ce-1", "request", "a JSON object");
    assertRefused(refusal(bytes(record), "no id"), null, "request", "a JSON object");
  }

  @Test
  void refusesBytesThatAreNotUtf8() {
    byte[] record = bytes(command("\"user\": \"?\""));
    record[record.length - 3] = (byte) 0xff;
    RequestRefused refused = refusal(record, "ce-1");
    assertRefused(refused, "ce-1", "request", "a JSON object");
    assertThat(refused.value()).isEqualTo("not valid UTF-8");
  }

  @Test
  void refusesNothingAtAll() {
    RequestRefused refused = refusal((byte[]) null, "ce-1");
    assertRefused(refused, "ce-1", "request", "a JSON object");
    assertThat(refused.value()).isEqualTo("nothing");
  }

  @Test
  void refusesMoreThanOneMebibyteUnread() {
    for (int size : new int[] {RequestParser.MAX_BYTES + 1, 10 << 20}) {
      byte[] record = new byte[size];
      Arrays.fill(record, (byte) ' ');
      RequestRefused refused = refusal(record, "ce-1");
      assertRefused(refused, "ce-1", "request", "at most 1048576 bytes");
      assertThat(refused.value()).isEqualTo(size + " bytes");
    }
  }

  @Test
  void refusesNestingDeeperThan64() {
    String deepest = "\"params\": {\"p\": " + "[".repeat(62) + "]".repeat(62) + "}";
    String tooDeep = "\"params\": {\"p\": " + "[".repeat(63) + "]".repeat(63) + "}";
    assertThat(refusal(command(deepest))).isNull();
    assertRefused(refusal(command(tooDeep)), null, "request", "a JSON object");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"\"\"", "\"a b\"", "\"a/b\"", "\"é\"", "\"a\\u0000\"", "\"\\ud800\"", "5", "[]"})
  void anInvalidIdIsNamedAndNotUsed(String id) {
    String record = "{\"id\": " + id + ", \"command\": [\"x\"]}";
    assertRefused(refusal(record), null, "id", RequestId.EXPECTED);
    assertRefused(refusal(bytes(record), "ce-1"), null, "id", RequestId.EXPECTED);
  }

  @Test
  void anIdOf10000CharactersIsShortenedInTheMessage() {
    RequestRefused refused =
        refusal("{\"id\": \"" + "i".repeat(10_000) + "\", \"command\": [\"x\"]}");
    assertRefused(refused, null, "id", RequestId.EXPECTED);
    assertThat(refused.value()).isEqualTo("i".repeat(200) + "… (10000 characters)");
    assertThat(refused.getMessage().length()).isLessThan(300);
  }

  @Test
  void aMissingIdIsNamed() {
    RequestRefused refused = refusal("{\"command\": [\"x\"]}");
    assertRefused(refused, null, "id", RequestId.EXPECTED);
    assertThat(refused.value()).isEqualTo("missing");
    RequestRefused wrongHeader = refusal(bytes("{\"command\": [\"x\"]}"), "no id");
    assertRefused(wrongHeader, null, "id", RequestId.EXPECTED);
    assertThat(wrongHeader.value()).isEqualTo("no id");
  }

  @Test
  void theEventIdIsAnsweredToWhereTheBodyHasNone() {
    RequestRefused refused = refusal(bytes("{\"command\": 5}"), "ce-1");
    assertThat(refused.id()).contains("ce-1");
  }

  @Test
  void aStructuredEventsDataIsJudgedAlike() {
    String event = "{\"specversion\": \"1.0\", \"id\": \"e-1\", \"data\": %s}";
    assertRefused(refusal(event.formatted("null")), "e-1", "request", "a JSON object");
    assertRefused(refusal(event.formatted("{\"command\": []}")), "e-1", "command", COMMAND);
    assertRefused(
        refusal(event.replace("e-1", "no id").formatted("[]")), null, "request", "a JSON object");
    RequestRefused nested = refusal(event.formatted(event.formatted("{\"command\": [\"x\"]}")));
    assertThat(nested.value()).isEqualTo("an unknown field");
  }

  @Test
  void whatIsQuotedCanBeStoredAndSent() {
    String name = "x".repeat(199) + "😀".repeat(100);
    RequestRefused refused = refusal(command("\"" + name + "\": 1"));
    assertThat(refused.field()).isEqualTo("x".repeat(199) + "… (399 characters)");
    RequestRefused id = refusal("{\"id\": \"\\u0000\\ud800\", \"command\": [\"x\"]}");
    assertThat(id.value()).isEqualTo("\\u0000\\ud800");
  }

  @Test
  void aMillionDigitsAreRefusedAtOnce() {
    String digits = "9".repeat(1_000_000);
    assertRefused(
        refusal(command("\"timeout\": \"" + digits + "s\"")), "a", "timeout", Durations.EXPECTED);
    assertRefused(
        refusal(command("\"resources\": {\"memory\": \"" + digits + "B\"}")),
        "a",
        "resources.memory",
        ByteSize.EXPECTED);
    assertRefused(
        refusal(command("\"params\": {\"n\": " + digits + "}")), null, "request", "a JSON object");
  }
}
