package io.stoker.dispatcher.intake;

import io.stoker.common.request.JobRequest;
import io.stoker.common.request.RequestRefused;
import io.stoker.dispatcher.fairshare.QueueSettings;
import io.stoker.dispatcher.fairshare.Queues;
import java.util.Optional;

/**
 * Whether a request may come into its queue by the way it came: a queue's own topic reaches that
 * queue, by whatever rights Kafka has on it; the plain topic, which REST writes to, reaches those
 * that are open.
 */
public final class QueueDoor {
  private final Queues queues;

  public QueueDoor(Queues queues) {
    this.queues = queues;
  }

  /**
   * Why it may not, if so.
   *
   * @param ownTopic whether it came by its queue's own topic
   */
  public Optional<RequestRefused> refusal(JobRequest request, boolean ownTopic) {
    Optional<QueueSettings> queue = queues.find(request.queue());
    if (queue.isEmpty()) {
      return refused(request, "the name of a configured queue: " + queues.names());
    }
    if (!ownTopic && !queue.get().open()) {
      String expected =
          "the name of an open queue: %s; this one takes what is posted to its own topic alone"
              .formatted(queues.open());
      return refused(request, expected);
    }
    return Optional.empty();
  }

  private static Optional<RequestRefused> refused(JobRequest request, String expected) {
    return Optional.of(new RequestRefused(request.id(), "queue", request.queue(), expected));
  }
}
