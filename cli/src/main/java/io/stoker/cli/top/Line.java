package io.stoker.cli.top;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.rest.Requests;
import io.stoker.common.state.RequestState;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Finds out who is first in each queue's line and why it waits. A dispatcher looks at every host
 * for such an answer, so few queues are asked about, and not each time.
 */
final class Line {
  private static final int MOST_QUEUES = 4;
  private static final long APART_NANOS = 3_000_000_000L;

  private final Requests requests;
  private List<Waiter> last = List.of();
  private long asked = System.nanoTime() - APART_NANOS;

  Line(Requests requests) {
    this.requests = requests;
  }

  /**
   * The first of the longest lines.
   *
   * @param queues as they were answered
   */
  List<Waiter> first(List<JsonNode> queues) {
    long now = System.nanoTime();
    if (now - asked >= APART_NANOS) {
      asked = now;
      last = ask(queues);
    }
    return last;
  }

  private List<Waiter> ask(List<JsonNode> queues) {
    List<Waiter> first = new ArrayList<>();
    queues.stream()
        .filter(queue -> queue.path("queued").asLong() > 0)
        .sorted((a, b) -> Long.compare(b.path("queued").asLong(), a.path("queued").asLong()))
        .limit(MOST_QUEUES)
        .forEach(queue -> first(queue.path("queue").asText()).ifPresent(first::add));
    return List.copyOf(first);
  }

  /** Anybody in it knows who is first. */
  private Optional<Waiter> first(String queue) {
    Requests.Filter any =
        Requests.Filter.all(1).with("queue", queue).in(List.of(RequestState.QUEUED));
    return requests.list(any).requests().stream()
        .findFirst()
        .map(one -> one.path("id").asText())
        .flatMap(requests::explain)
        .map(why -> why.at("/line/ahead/0").asText(why.path("id").asText()))
        .flatMap(id -> waiter(queue, id));
  }

  private Optional<Waiter> waiter(String queue, String id) {
    Optional<String> queuedAt =
        requests.tree(id).flatMap(tree -> Optional.ofNullable(tree.path("queuedAt").textValue()));
    return requests
        .explain(id)
        .map(why -> new Waiter(queue, id, queuedAt.orElse(null), why.path("sentence").asText()));
  }
}
