package io.stoker.cli.rest;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.rest.RestClient.Answer;
import java.util.ArrayList;
import java.util.List;

/** What a dispatcher answers about hosts and queues. */
public final class Fleet {
  private final RestClient rest;

  public Fleet(RestClient rest) {
    this.rest = rest;
  }

  /** All hosts, as they were answered. */
  public List<JsonNode> hosts() {
    return list("/hosts", "hosts");
  }

  /** The queues that have jobs, as they were answered. */
  public List<JsonNode> queues() {
    return list("/queues", "queues");
  }

  /**
   * Keeps new placements off a host.
   *
   * @return whether the host is known
   */
  public boolean cordon(String host, String reason) {
    return change(
        host, "/cordon" + (reason == null ? "" : "?reason=" + RestClient.encoded(reason)));
  }

  /**
   * Lets a host take placements again.
   *
   * @return whether the host is known
   */
  public boolean uncordon(String host) {
    return change(host, "/uncordon");
  }

  private boolean change(String host, String what) {
    Answer answer = rest.post("/hosts/" + RestClient.encoded(host) + what, new byte[0]);
    return switch (answer.status()) {
      case 200, 202, 204 -> true;
      case 404 -> false;
      default -> throw rest.unexpected("telling host " + host, answer);
    };
  }

  private List<JsonNode> list(String path, String field) {
    Answer answer = rest.get(path);
    if (answer.status() != 200) {
      throw rest.unexpected("asking for " + path, answer);
    }
    List<JsonNode> all = new ArrayList<>();
    answer.body().path(field).forEach(all::add);
    return all;
  }
}
