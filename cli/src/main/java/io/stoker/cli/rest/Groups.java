package io.stoker.cli.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.stoker.cli.outcome.CliException;
import io.stoker.cli.rest.RestClient.Answer;
import io.stoker.common.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;

/** Asks a dispatcher about groups. */
public record Groups(RestClient rest) {
  /** All groups, as they were answered. */
  public List<JsonNode> all() {
    List<JsonNode> all = new ArrayList<>();
    pages("/groups", page -> page.path("groups").forEach(all::add));
    return all;
  }

  /** A group, as it was answered; empty if nobody knows it. */
  public Optional<JsonNode> find(String name) {
    Answer answer = rest.get("/groups/" + RestClient.encoded(name));
    return switch (answer.status()) {
      case 200 -> Optional.of(answer.body());
      case 404 -> Optional.empty();
      default -> throw rest.unexpected("asking for group " + name, answer);
    };
  }

  /**
   * Makes a group with a plan, which may be empty.
   *
   * @param plan as it is posted; the same one twice makes one group
   * @return its name: a taken one gets a number
   * @throws CliException with exit code 2 if the plan is refused
   */
  public String create(String name, ObjectNode plan) {
    byte[] body = Json.bytes(plan.deepCopy().put("id", UUID.randomUUID().toString()));
    Answer answer = rest.post("/groups/" + RestClient.encoded(name), body);
    return switch (answer.status()) {
      case 201, 202 -> answer.body().path("group").asText();
      default -> throw rest.unexpected("making group " + name, answer);
    };
  }

  /** Limits the retries that all jobs of a group may use together; makes it known if need be. */
  public void limitRetries(String name, long retries) {
    String path = "/groups/" + RestClient.encoded(name) + "/retries?limit=" + retries;
    Answer answer = rest.post(path, new byte[0]);
    if (answer.status() != 202) {
      throw rest.unexpected("limiting the retries of group " + name, answer);
    }
  }

  /** Says that no more is to come. */
  public void close(String name) {
    tell(name, "close");
  }

  /** Ends all of it, and what arrives later. */
  public void stop(String name) {
    tell(name, "stop");
  }

  /** Has the configuration with the best score run once more. Returns the new request's id. */
  public String rerunBest(String name) {
    return tell(name, "rerun-best").path("id").asText();
  }

  private JsonNode tell(String name, String what) {
    Answer answer = rest.post("/groups/" + RestClient.encoded(name) + "/" + what, new byte[0]);
    return switch (answer.status()) {
      case 202 -> answer.body();
      case 404 -> throw CliException.unknownId(Refusal.text(answer.body()));
      default -> throw rest.unexpected(what + " of group " + name, answer);
    };
  }

  /**
   * The report of a group as a file.
   *
   * @param kind html, json or csv
   */
  public byte[] report(String name, String kind) {
    String path = "/groups/" + RestClient.encoded(name) + "/report." + kind;
    return rest.bytes(path)
        .orElseThrow(() -> CliException.unknownId("nobody knows a group " + name));
  }

  /** Reads the requests of a group with their results and times, in order of arrival. */
  public void report(String name, Consumer<JsonNode> reader) {
    String path = "/groups/" + RestClient.encoded(name) + "/report";
    pages(path, page -> page.path("requests").forEach(reader));
  }

  private void pages(String path, Consumer<JsonNode> reader) {
    Optional<String> after = Optional.empty();
    do {
      String from = after.map(place -> "?after=" + RestClient.encoded(place)).orElse("");
      Answer answer = rest.get(path + from);
      if (answer.status() != 200) {
        throw rest.unexpected("asking for " + path, answer);
      }
      reader.accept(answer.body());
      after = Optional.ofNullable(answer.body().path("next").textValue());
    } while (after.isPresent());
  }
}
