package io.stoker.dispatcher.service.status;

import io.smallrye.mutiny.Uni;
import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.runtime.SetAsides;
import io.stoker.dispatcher.service.config.OwnTopics;
import io.stoker.kafka.KafkaAccess;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.jboss.logging.Logger;

/**
 * The topics of statuses that queues have of their own. One that this dispatcher has no right to is
 * left alone for a while, so that nothing else waits for it; the log and {@code GET /set-aside} say
 * so, as they do of the topic of all.
 */
@ApplicationScoped
class QueuesTopics {
  private static final Logger LOG = Logger.getLogger(QueuesTopics.class);
  private static final String STEP = "statuses on their topic";
  private static final long PAUSE_NANOS = Duration.ofSeconds(10).toNanos();
  private static final long SAID_EVERY_NANOS = Duration.ofMinutes(1).toNanos();

  private final KafkaAccess kafka;
  private final Topics topics;
  private final OwnTopics made;
  private final SetAsides asides;
  private final Map<String, Denial> denied = new ConcurrentHashMap<>();

  /** When a topic was last tried, and when that was last said. */
  private record Denial(long triedNanos, long saidNanos) {}

  QueuesTopics(KafkaAccess kafka, Topics topics, OwnTopics made, SetAsides asides) {
    this.kafka = kafka;
    this.topics = topics;
    this.made = made;
    this.asides = asides;
  }

  /** Sees to it that a queue's is there; false if it is to be left alone for want of a right. */
  Uni<Boolean> ready(String queue) {
    Topics.Layout layout = topics.statusLayout(queue);
    Denial before = denied.get(layout.name());
    if (before != null && System.nanoTime() - before.triedNanos < PAUSE_NANOS) {
      return Uni.createFrom().item(false);
    }
    return made.ensure(layout)
        .replaceWith(true)
        .onFailure(TopicAuthorizationException.class)
        .recoverWithItem(
            error -> {
              denied(layout.name(), error);
              return false;
            });
  }

  /** A topic was not made or not written to, as there is no right to that. */
  void denied(String topic, Throwable error) {
    long now = System.nanoTime();
    Denial before = denied.get(topic);
    boolean silent = before != null && now - before.saidNanos < SAID_EVERY_NANOS;
    denied.put(topic, new Denial(now, silent ? before.saidNanos : now));
    if (!silent) {
      String sentence = kafka.trouble(error);
      LOG.errorf(
          "%s: %s; %s",
          topic,
          sentence,
          topic.equals(topics.status())
              ? "no status is told until then"
              : "until then statuses are on " + topics.status() + " alone");
      asides.failed(STEP, topic, new TopicAuthorizationException(sentence));
    }
  }

  /** A topic has taken what was written to it. */
  void written(String topic) {
    if (!denied.isEmpty() && denied.remove(topic) != null) {
      LOG.infof("statuses are on %s again", topic);
    }
  }
}
