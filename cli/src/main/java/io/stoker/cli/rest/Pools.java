package io.stoker.cli.rest;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.rest.RestClient.Answer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Asks a dispatcher about pools of workers. */
public record Pools(RestClient rest) {
  /** All pools, as they were answered. */
  public List<JsonNode> all() {
    Answer answer = rest.get("/pools");
    if (answer.status() != 200) {
      throw rest.unexpected("asking for pools", answer);
    }
    List<JsonNode> all = new ArrayList<>();
    answer.body().path("pools").forEach(all::add);
    return all;
  }

  /** One pool, if there is such a one. */
  public Optional<JsonNode> find(String host, String pool) {
    Answer answer = rest.get(path(host, pool));
    return switch (answer.status()) {
      case 200 -> Optional.of(answer.body());
      case 404 -> Optional.empty();
      default -> throw rest.unexpected("asking for pool " + pool, answer);
    };
  }

  /**
   * Has a pool do something.
   *
   * @param action reset, drain, discard, abort or open
   * @return whether the pool is known
   */
  public boolean tell(String host, String pool, String action) {
    Answer answer = rest.post(path(host, pool) + "/" + action, new byte[0]);
    return switch (answer.status()) {
      case 200, 202, 204 -> true;
      case 404 -> false;
      default -> throw rest.unexpected("telling pool " + pool, answer);
    };
  }

  private static String path(String host, String pool) {
    return "/pools/" + RestClient.encoded(host) + "/" + RestClient.encoded(pool);
  }
}
