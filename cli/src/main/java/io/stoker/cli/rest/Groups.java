package io.stoker.cli.rest;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.rest.RestClient.Answer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** What a dispatcher answers about groups. */
public final class Groups {
  private final RestClient rest;

  public Groups(RestClient rest) {
    this.rest = rest;
  }

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

  /** Says that no more is to come. */
  public void close(String name) {
    Answer answer = rest.post("/groups/" + RestClient.encoded(name) + "/close", new byte[0]);
    if (answer.status() != 202) {
      throw rest.unexpected("closing group " + name, answer);
    }
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
