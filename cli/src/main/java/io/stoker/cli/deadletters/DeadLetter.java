package io.stoker.cli.deadletters;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.state.RequestState;
import io.stoker.common.text.PlainText;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/**
 * A record that was set aside because it is wrong, as people see it.
 *
 * @param at when it was set aside
 * @param topic it came by; empty if that is not known
 * @param partition of that topic
 * @param offset there
 * @param index of the request within its record; empty if the record was no array of requests
 * @param key as received
 * @param reason what is wrong with it
 * @param value of the record, or of the request within it: its first 64 KiB, as received
 */
public record DeadLetter(
    Instant at,
    String topic,
    String partition,
    String offset,
    String index,
    String key,
    String reason,
    String value) {
  /** From a record of the dead letters. */
  public static DeadLetter of(ConsumerRecord<byte[], byte[]> record) {
    return new DeadLetter(
        Instant.ofEpochMilli(record.timestamp()),
        header(record, "stoker-topic"),
        header(record, "stoker-partition"),
        header(record, "stoker-offset"),
        header(record, "stoker-index"),
        text(record.key()),
        header(record, "stoker-reason"),
        text(record.value()));
  }

  private static String header(ConsumerRecord<byte[], byte[]> record, String name) {
    Header header = record.headers().lastHeader(name);
    return header == null ? "" : text(header.value());
  }

  private static String text(byte[] bytes) {
    return bytes == null ? "" : PlainText.wellFormed(new String(bytes, StandardCharsets.UTF_8));
  }

  /** All of it, for programs. */
  public Map<String, String> fields() {
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("at", at.toString());
    fields.put("topic", topic);
    fields.put("partition", partition);
    fields.put("offset", offset);
    if (!index.isEmpty()) {
      fields.put("index", index);
    }
    fields.put("key", key);
    fields.put("reason", reason);
    fields.put("value", value);
    return fields;
  }

  /** Whether any of its texts holds this one, in any case. */
  public boolean holds(String text) {
    String all = String.join("\n", topic, key, reason, value).toLowerCase(Locale.ROOT);
    return all.contains(text.toLowerCase(Locale.ROOT));
  }

  /** Of a request: the id that it has, or was sent under. */
  public String request() {
    try {
      JsonNode id = Json.read(value.getBytes(StandardCharsets.UTF_8)).path("id");
      return id.isTextual() ? PlainText.of(id.textValue()) : PlainText.of(key);
    } catch (MalformedJson e) {
      return PlainText.of(key);
    }
  }

  /** Of a request: as the refusal that it is. */
  public JsonNode refusal() {
    Map<String, Object> status = new LinkedHashMap<>();
    status.put("id", request());
    status.put("state", RequestState.REJECTED.name());
    status.put("version", 0);
    status.put("shared", false);
    status.put("cached", false);
    status.put("stopRequested", false);
    status.put("reason", PlainText.sentence(reason));
    status.put("at", at.toString());
    return Json.tree(status);
  }
}
