package io.stoker.dispatcher.intake;

import io.stoker.common.request.JobRequest;
import io.stoker.common.request.RequestRefused;
import io.stoker.common.security.SecretUsers;
import io.stoker.dispatcher.fairshare.QueueSettings;
import io.stoker.dispatcher.fairshare.Queues;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Decides whether a request may enter its queue by the way it came, and use the secrets that it
 * names, or that the workers have which it is for: a queue's own topic reaches that queue, by
 * whatever rights Kafka has on it; the plain topic, which REST writes to, reaches those that are
 * open.
 */
public final class QueueAdmission {
  private final Queues queues;
  private final Map<String, Set<String>> secrets;
  private final Function<String, Map<String, String>> ofPool;

  /**
   * @param secrets by name, the queues whose requests may use it; {@code *} for any
   * @param ofPool the secrets that a pool's workers have by its kind, by variable
   */
  public QueueAdmission(
      Queues queues,
      Map<String, Set<String>> secrets,
      Function<String, Map<String, String>> ofPool) {
    this.queues = queues;
    this.secrets = Map.copyOf(secrets);
    this.ofPool = ofPool;
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
    return secret(request);
  }

  private Optional<RequestRefused> secret(JobRequest request) {
    for (Map.Entry<String, String> asked : request.secrets().entrySet()) {
      if (!mayUse(request, asked.getValue())) {
        return Optional.of(
            new RequestRefused(
                request.id(),
                "env.%s.secret".formatted(asked.getKey()),
                asked.getValue(),
                "a secret that queue %s may use: see stoker.secrets.%s.queues"
                    .formatted(request.queue(), asked.getValue())));
      }
    }
    return request
        .workers()
        .flatMap(
            pool ->
                ofPool.apply(pool).values().stream()
                    .filter(secret -> !mayUse(request, secret))
                    .findFirst()
                    .map(
                        secret ->
                            new RequestRefused(
                                request.id(),
                                "workers",
                                pool,
                                "a pool whose secrets queue %s may use: see stoker.secrets.%s.queues"
                                    .formatted(request.queue(), secret))));
  }

  private boolean mayUse(JobRequest request, String secret) {
    return new SecretUsers(secrets.getOrDefault(secret, Set.of())).include(request.queue());
  }

  private static Optional<RequestRefused> refused(JobRequest request, String expected) {
    return Optional.of(new RequestRefused(request.id(), "queue", request.queue(), expected));
  }
}
