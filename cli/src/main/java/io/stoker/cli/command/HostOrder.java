package io.stoker.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.outcome.CliException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Something that a host was told to do: what cannot be done fails here and not out of sight. */
final class HostOrder {
  private static final long ASK_MILLIS = 100;
  private static final long AT_MOST_S = 10;

  private HostOrder() {}

  /**
   * Waits until the host has done as it was told. One that is away, or too old to answer, does
   * later: that is said, and is no failure.
   *
   * @param id of the order
   * @throws CliException if it cannot do that
   */
  static void await(Session session, String host, String id) throws InterruptedException {
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(AT_MOST_S);
    while (System.nanoTime() - until < 0) {
      JsonNode now =
          session
              .fleet()
              .host(host)
              .orElseThrow(() -> CliException.unknownId(host + " is no host any more"));
      Optional<JsonNode> answer = answer(now, id);
      if (answer.isPresent()) {
        refuse(host, answer.get());
        return;
      }
      if (!now.path("alive").asBoolean()) {
        session.terminal().note(host + " is away: it is told when it is back");
        return;
      }
      TimeUnit.MILLISECONDS.sleep(ASK_MILLIS);
    }
    session
        .terminal()
        .note("%s has not answered within %d s: see stoker hosts".formatted(host, AT_MOST_S));
  }

  private static Optional<JsonNode> answer(JsonNode host, String id) {
    for (JsonNode answer : host.path("resources").path("answers")) {
      if (answer.path("id").asText().equals(id)) {
        return Optional.of(answer);
      }
    }
    return Optional.empty();
  }

  private static void refuse(String host, JsonNode answer) {
    if (answer.has("problem")) {
      throw CliException.usage(
          "%s keeps its %s: %s"
              .formatted(host, answer.path("setting").asText(), answer.path("problem").asText()));
    }
  }
}
