package io.stoker.cli.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.stoker.cli.outcome.CliException;
import io.stoker.cli.rest.RestClient.Answer;
import io.stoker.common.json.Json;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Asks a dispatcher about hosts and queues. */
public record Fleet(RestClient rest) {
  /**
   * Who says that it is a host.
   *
   * @param hosts all hosts, as they were answered
   * @param ignored agents whose messages are not believed: {@code host} and {@code reason}
   */
  public record Heard(List<JsonNode> hosts, List<JsonNode> ignored) {}

  /** All of them. */
  public Heard heard() {
    JsonNode answer = get("/hosts");
    return new Heard(list(answer, "hosts"), list(answer, "ignored"));
  }

  /** All hosts, as they were answered. */
  public List<JsonNode> hosts() {
    return heard().hosts();
  }

  /** One of them, by its name. */
  public Optional<JsonNode> host(String name) {
    return hosts().stream().filter(one -> one.path("host").asText().equals(name)).findFirst();
  }

  /**
   * What became of a host, the newest first, as it was answered.
   *
   * @throws CliException if the host is not known
   */
  public List<JsonNode> events(String host) {
    return list(known(host, rest.get(path(host) + "/events")), "events");
  }

  /** The queues that have jobs, as they were answered. */
  public List<JsonNode> queues() {
    return list(get("/queues"), "queues");
  }

  /** The configured kinds of requests, as they were answered. */
  public List<JsonNode> kinds() {
    return list(get("/kinds"), "kinds");
  }

  /**
   * What jobs are expected to take of memory, as it was answered.
   *
   * @param of which memory, null for any
   * @param from of which jobs
   * @param text that their names hold
   */
  public List<JsonNode> estimates(String of, String from, String text, int limit) {
    return list(
        get(
            "/estimates?from="
                + from
                + (of == null ? "" : "&of=" + of)
                + "&text="
                + RestClient.encoded(text)
                + "&limit="
                + limit),
        "estimates");
  }

  /** Has the configuration read again; the answer says whether it was applied. */
  public JsonNode reload() {
    Answer answer = rest.post("/reload", new byte[0]);
    if (!answer.body().has("applied")) {
      throw rest.unexpected("reloading", answer);
    }
    return answer.body();
  }

  /**
   * Keeps new placements off a host.
   *
   * @throws CliException if the host is not known
   */
  public void cordon(String host, String reason) {
    change(host, "/cordon" + (reason == null ? "" : "?reason=" + RestClient.encoded(reason)));
  }

  /**
   * Keeps new placements off a host and empties it.
   *
   * @param within after which what still runs is moved; null lets it end
   * @param dead whether the machine is off for certain
   * @throws CliException if the host is not known
   */
  public void drain(String host, String reason, Duration within, boolean dead) {
    List<String> query = new ArrayList<>();
    if (reason != null) {
      query.add("reason=" + RestClient.encoded(reason));
    }
    if (within != null) {
      query.add("within=" + within);
    }
    if (dead) {
      query.add("dead=true");
    }
    change(host, "/drain" + (query.isEmpty() ? "" : "?" + String.join("&", query)));
  }

  /**
   * Lets a host take placements again.
   *
   * @throws CliException if the host is not known
   */
  public void uncordon(String host) {
    change(host, "/uncordon");
  }

  /**
   * Has a host's next key taken, and the one before it for a while.
   *
   * @param overlap null = an hour
   * @return the generation of its newest key
   * @throws CliException if the host is not known
   */
  public int rotateKey(String host, Duration overlap) {
    return key(host, "/rotate-key" + (overlap == null ? "" : "?overlap=" + overlap));
  }

  /**
   * Has keys of a host refused.
   *
   * @param generation the last that is; null = all that it was given
   * @return the generation of its newest key
   * @throws CliException if the host is not known
   */
  public int revokeKey(String host, Integer generation) {
    return key(host, "/revoke-key" + (generation == null ? "" : "?generation=" + generation));
  }

  private int key(String host, String what) {
    return answer(host, what, new byte[0]).path("generation").asInt();
  }

  /**
   * Lets a host choose devices by another policy.
   *
   * @param policy null = the host's own configuration
   * @return id of the order, which the host answers
   * @throws CliException if the host is not known
   */
  public String policy(String host, String policy, Map<String, String> parameters) {
    ObjectNode asked = JsonNodeFactory.instance.objectNode();
    if (policy != null) {
      asked.put("policy", policy);
      ObjectNode given = asked.putObject("parameters");
      parameters.forEach(given::put);
    }
    return order(host, "/policy", Json.bytes(asked));
  }

  /**
   * Lets a host offer other devices.
   *
   * @param devices a device list; null = the host's own configuration
   * @return id of the order, which the host answers
   * @throws CliException if the host is not known
   */
  public String devices(String host, String devices) {
    ObjectNode asked = JsonNodeFactory.instance.objectNode();
    if (devices != null) {
      asked.put("devices", devices);
    }
    return order(host, "/devices", Json.bytes(asked));
  }

  private void change(String host, String what) {
    order(host, what, new byte[0]);
  }

  private String order(String host, String what, byte[] body) {
    return answer(host, what, body).path("id").asText();
  }

  private JsonNode answer(String host, String what, byte[] body) {
    return known(host, rest.post(path(host) + what, body));
  }

  private static String path(String host) {
    return "/hosts/" + RestClient.encoded(host);
  }

  private JsonNode known(String host, Answer answer) {
    return switch (answer.status()) {
      case 200, 202, 204 -> answer.body();
      case 404 ->
          throw CliException.unknownId("no host is called %s: see stoker hosts".formatted(host));
      default -> throw rest.unexpected("asking of host " + host, answer);
    };
  }

  private JsonNode get(String path) {
    Answer answer = rest.get(path);
    if (answer.status() != 200) {
      throw rest.unexpected("asking for " + path, answer);
    }
    return answer.body();
  }

  private static List<JsonNode> list(JsonNode answer, String field) {
    return answer.path(field).valueStream().toList();
  }
}
