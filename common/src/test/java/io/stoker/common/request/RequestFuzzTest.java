package io.stoker.common.request;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchema;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.schema.Golden;
import io.stoker.common.schema.Schemas;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Whatever comes is read or refused, never thrown over; what is read means one thing. */
class RequestFuzzTest {
  private static final JsonSchema SCHEMA = Schemas.compiled("request");
  private static final List<Golden> REQUESTS = Golden.of("request");
  private static final String[] VALUES = {
    "null",
    "true",
    "0",
    "-1",
    "1",
    "1.0",
    "1e400",
    "1e-9",
    "9007199254740993",
    "\"\"",
    "\"a\"",
    "\"x y\"",
    "\"\\u0000\"",
    "\"\\udfff\"",
    "\"4GB\"",
    "\"90s\"",
    "\"always\"",
    "[]",
    "[\"b\"]",
    "[null]",
    "{}",
    "{\"key\": \"k\"}",
    "{\"app\": 1}",
    "{\"A\": \"b\"}",
    "{\"\": \"b\"}"
  };

  @Test
  void changedValuesAreReadOrRefused() throws MalformedJson {
    int accepted = 0;
    for (long seed = 0; seed < 20_000; seed++) {
      Random random = new Random(seed);
      JsonNode changed = REQUESTS.get(random.nextInt(REQUESTS.size())).json().deepCopy();
      for (int changes = 1 + random.nextInt(2); changes > 0; changes--) {
        change(changed, random);
      }
      accepted += judged("seed " + seed, changed.toString().getBytes(StandardCharsets.UTF_8));
    }
    assertThat(accepted).isBetween(1_000, 19_000);
  }

  @Test
  void changedBytesAreReadOrRefused() throws MalformedJson {
    int accepted = 0;
    for (long seed = 0; seed < 20_000; seed++) {
      Random random = new Random(seed);
      byte[] record = Json.bytes(REQUESTS.get(random.nextInt(REQUESTS.size())).json());
      record[random.nextInt(record.length)] = (byte) random.nextInt(256);
      accepted += judged("seed " + seed, record);
    }
    assertThat(accepted).isBetween(1_000, 19_000);
  }

  /** 1 if it was accepted: then its schema accepts it too, and its spec is the same request. */
  private static int judged(String name, byte[] record) throws MalformedJson {
    JobRequest request;
    try {
      request = RequestParser.parse(record, Optional.empty());
    } catch (RequestRefused refused) {
      assertThat(refused.field()).as(name).isNotEmpty();
      refused.id().ifPresent(id -> assertThat(id).as(name).matches(RequestId::isValid));
      return 0;
    }
    assertThat(Schemas.problems(SCHEMA, Json.read(record))).as(name).isEmpty();
    JobRequest again = reread(name, request);
    assertThat(again.spec()).as(name).isEqualTo(request.spec());
    assertThat(Fingerprint.of(again, List.of(), "j"))
        .as(name)
        .isEqualTo(Fingerprint.of(request, List.of(), "j"));
    return 1;
  }

  private static JobRequest reread(String name, JobRequest request) {
    try {
      byte[] spec = request.spec().getBytes(StandardCharsets.UTF_8);
      return RequestParser.parse(spec, Optional.empty());
    } catch (RequestRefused e) {
      throw new AssertionError(name + ": the spec of an accepted request is refused", e);
    }
  }

  private static void change(JsonNode root, Random random) throws MalformedJson {
    List<JsonNode> places = new ArrayList<>();
    addContainers(root, places);
    JsonNode place = places.get(random.nextInt(places.size()));
    JsonNode value = Json.read(VALUES[random.nextInt(VALUES.length)]);
    if (place instanceof ObjectNode object) {
      List<String> names = new ArrayList<>();
      object.fieldNames().forEachRemaining(names::add);
      names.add("more");
      object.set(names.get(random.nextInt(names.size())), value);
    } else {
      ((ArrayNode) place).insert(random.nextInt(place.size() + 1), value);
    }
  }

  private static void addContainers(JsonNode node, List<JsonNode> places) {
    if (node.isContainerNode()) {
      places.add(node);
      node.forEach(inner -> addContainers(inner, places));
    }
  }
}
