package io.stoker.common.request;

import static io.stoker.common.request.Refusals.assertRefused;
import static io.stoker.common.request.Refusals.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.networknt.schema.JsonSchema;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.request.RequestArray.Packed;
import io.stoker.common.schema.Golden;
import io.stoker.common.schema.Schemas;
import io.stoker.common.size.Limits;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestArrayTest {
  private static final String EXPECTED = "a JSON object, or an array of 1 to 500 of them";
  private static final JsonSchema SCHEMA = Schemas.compiled("requests");
  private static final List<Golden> REQUESTS = Golden.of("request");

  @Test
  void isArray_byItsFirstSign() {
    assertThat(RequestArray.isArray(bytes(" \n\t\r[1"))).isTrue();
    assertThat(RequestArray.isArray(bytes("{\"a\":[]}"))).isFalse();
    assertThat(RequestArray.isArray(bytes("  "))).isFalse();
    assertThat(RequestArray.isArray(null)).isFalse();
  }

  @Test
  void split_givesEachElementAsItWasWritten() throws Exception {
    assertThat(split("[ {\"id\" : \"a,]\" , \"x\":[1,{}]} ,\n5,\"q\\\"],\\\\\",[[ ]],null]"))
        .containsExactly(
            "{\"id\" : \"a,]\" , \"x\":[1,{}]}", "5", "\"q\\\"],\\\\\"", "[[ ]]", "null");
  }

  @Test
  void split_whatIsWrongWithinAnElementIsLeftToIt() throws Exception {
    String nested = "[".repeat(100_000) + "]".repeat(100_000);
    assertThat(split("[{\"a\":1,\"a\":2},{\"a\" 1},nonsense,,1e999999999999," + nested + ",]"))
        .containsExactly(
            "{\"a\":1,\"a\":2}", "{\"a\" 1}", "nonsense", "", "1e999999999999", nested, "");
    byte[] notUtf8 = bytes("[\"?\",7]");
    notUtf8[2] = (byte) 0xff;
    assertThat(RequestArray.split(notUtf8, Optional.empty()).get(1)).isEqualTo(bytes("7"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"[", "[1", "[1,", "[{\"a\":[1}", "[\"a]", "[\"a\\\"]", "[{\"a\"]", "[\"\\"})
  void split_refusesWhatHasNoEnd(String value) {
    RequestRefused refused = refused(bytes(value), null);
    assertRefused(refused, null, "request", EXPECTED);
    assertThat(refused.value()).matches("an array whose (end is missing|brackets do not match)");
  }

  @ParameterizedTest
  @ValueSource(strings = {"[1}]", "[{\"a\":1]}]", "[}"})
  void split_refusesBracketsThatDoNotMatch(String value) {
    assertThat(refused(bytes(value), null).value())
        .isEqualTo("an array whose brackets do not match");
  }

  @Test
  void split_refusesWhatComesBehindTheEnd() {
    assertThat(refused(bytes("[1] [2]"), null).value())
        .isEqualTo("an array with more behind its end");
  }

  @Test
  void split_takes500AndNotMoreNorNone() throws Exception {
    assertThat(RequestArray.split(of(500), Optional.empty())).hasSize(500);
    assertThat(refused(of(501), null).value()).isEqualTo("an array of 501");
    assertThat(refused(of(100_000), null).value()).isEqualTo("an array of 100000");
    assertThat(refused(bytes("[ ]"), null).value()).isEqualTo("an array of 0");
  }

  @Test
  void split_refusesMoreThanOneMebibyteUnread() {
    byte[] large = new byte[RequestParser.MAX_BYTES + 1];
    Arrays.fill(large, (byte) '[');
    RequestRefused refused = refused(large, "e-1");
    assertRefused(refused, "e-1", "request", "at most 1048576 bytes");
  }

  @Test
  void split_refusesAnIdOfTheTransport() {
    String expected = "none with an array of requests: each has its id in its body";
    assertRefused(refused(bytes("[{}]"), "e-1"), "e-1", "ce_id", expected);
    assertRefused(refused(bytes("[{}]"), "no id"), null, "ce_id", expected);
  }

  @Test
  void split_ofJsonGivesItsElements() throws Exception {
    for (long seed = 0; seed < 2_000; seed++) {
      ArrayNode array = array(new Random(seed));
      byte[] value = seed % 2 == 0 ? Json.bytes(array) : bytes(array.toPrettyString());
      List<byte[]> elements = RequestArray.split(value, Optional.empty());
      assertThat(elements).as("seed %d", seed).hasSize(array.size());
      for (int i = 0; i < array.size(); i++) {
        assertThat(Json.read(elements.get(i))).as("seed %d", seed).isEqualTo(array.get(i));
      }
    }
  }

  /** Whatever comes is cut or refused; where all of it is JSON, into what a reader finds in it. */
  @Test
  void split_ofChangedBytesIsWhatAReaderFinds() {
    int readable = 0;
    for (long seed = 0; seed < 20_000; seed++) {
      Random random = new Random(seed);
      byte[] value = Json.bytes(array(random));
      for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
        value[1 + random.nextInt(value.length - 1)] = hostile(random);
      }
      List<byte[]> elements = elements(value);
      JsonNode tree = tree(value);
      if (tree != null) {
        readable++;
        assertThat(elements.stream().map(RequestArrayTest::tree).toList())
            .as("seed %d", seed)
            .containsExactly(children(tree));
        if (elements.stream().allMatch(RequestArrayTest::accepted)) {
          assertThat(Schemas.problems(SCHEMA, tree)).as("seed %d", seed).isEmpty();
        }
      }
      elements.forEach(RequestArrayTest::accepted);
    }
    assertThat(readable).isBetween(1_000, 19_000);
  }

  @Test
  void theSchemaAndTheDispatcherJudgeAlike() throws MalformedJson {
    String good = "{\"id\": \"a\", \"command\": [\"x\"]}";
    assertThat(Schemas.problems(SCHEMA, Json.read("[" + good + "]"))).isEmpty();
    for (String wrong : List.of("[]", good, "[5]", "[{\"id\": \"a\"}]", new String(of(501)))) {
      assertThat(Schemas.problems(SCHEMA, Json.read(wrong))).as(wrong).isNotEmpty();
    }
  }

  @Test
  void pack_keepsTheOrderAndWhatARecordTakes() throws Exception {
    for (long seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      List<byte[]> requests = new ArrayList<>();
      for (int i = random.nextInt(1_500); i >= 0; i--) {
        int large = random.nextInt(100) == 0 ? random.nextInt(Limits.REQUEST) : 20;
        requests.add(bytes("{\"id\":\"" + i + "x".repeat(large) + "\"}"));
      }
      int most = 1 + random.nextInt(RequestArray.MOST);

      List<Packed> packed = RequestArray.pack(requests, most);

      List<byte[]> again = new ArrayList<>();
      for (Packed record : packed) {
        List<byte[]> some =
            RequestArray.isArray(record.value())
                ? RequestArray.split(record.value(), Optional.empty())
                : List.of(record.value());
        assertThat(some).hasSize(record.count()).hasSizeLessThanOrEqualTo(most);
        if (some.size() > 1) {
          assertThat(record.value().length).isLessThanOrEqualTo(Limits.RECORD_VALUE);
        }
        again.addAll(some);
      }
      assertThat(texts(again)).as("seed %d", seed).isEqualTo(texts(requests));
    }
  }

  @Test
  void pack_fillsRecords() {
    List<byte[]> requests = Collections.nCopies(1_200, bytes("{}"));
    assertThat(RequestArray.pack(requests, RequestArray.MOST))
        .extracting(Packed::count)
        .containsExactly(500, 500, 200);
    assertThat(RequestArray.pack(requests, 1))
        .hasSize(1_200)
        .first()
        .extracting(Packed::value)
        .isEqualTo(bytes("{}"));
  }

  private static byte hostile(Random random) {
    String signs = "[]{},\":\\ \n\u0000x";
    return random.nextInt(8) == 0
        ? (byte) random.nextInt(256)
        : (byte) signs.charAt(random.nextInt(signs.length()));
  }

  private static ArrayNode array(Random random) {
    ArrayNode array = JsonNodeFactory.instance.arrayNode();
    for (int i = 1 + random.nextInt(5); i > 0; i--) {
      array.add(REQUESTS.get(random.nextInt(REQUESTS.size())).json());
    }
    return array;
  }

  private static List<byte[]> elements(byte[] value) {
    try {
      return RequestArray.split(value, Optional.empty());
    } catch (RequestRefused refused) {
      assertThat(refused.field()).isEqualTo("request");
      return List.of();
    }
  }

  private static boolean accepted(byte[] element) {
    try {
      RequestParser.parse(element, Optional.empty());
      return true;
    } catch (RequestRefused refused) {
      return false;
    }
  }

  private static JsonNode tree(byte[] value) {
    try {
      return Json.read(value);
    } catch (MalformedJson e) {
      return null;
    }
  }

  private static JsonNode[] children(JsonNode array) {
    return IntStream.range(0, array.size()).mapToObj(array::get).toArray(JsonNode[]::new);
  }

  private static byte[] of(int count) {
    return bytes("[" + String.join(",", Collections.nCopies(count, "5")) + "]");
  }

  private static List<String> split(String value) throws RequestRefused {
    return texts(RequestArray.split(bytes(value), Optional.empty()));
  }

  private static List<String> texts(List<byte[]> all) {
    return all.stream().map(one -> new String(one, StandardCharsets.UTF_8)).toList();
  }

  private static RequestRefused refused(byte[] value, String eventId) {
    return catchThrowableOfType(
        RequestRefused.class, () -> RequestArray.split(value, Optional.ofNullable(eventId)));
  }
}
