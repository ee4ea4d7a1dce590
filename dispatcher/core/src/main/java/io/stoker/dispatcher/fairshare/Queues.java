package io.stoker.dispatcher.fairshare;

import io.stoker.common.request.JobRequest;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The queues that are configured; {@code default} is always among them. */
public final class Queues {
  private final Map<String, QueueSettings> byName = new TreeMap<>();

  public Queues(Collection<QueueSettings> configured) {
    byName.put(JobRequest.DEFAULT_QUEUE, QueueSettings.plain(JobRequest.DEFAULT_QUEUE));
    configured.forEach(queue -> byName.put(queue.name(), queue));
  }

  /** In order of name. */
  public List<QueueSettings> all() {
    return List.copyOf(byName.values());
  }

  public Optional<QueueSettings> find(String name) {
    return Optional.ofNullable(byName.get(name));
  }

  /**
   * How jobs of a queue are treated that were let in: one that is not configured any more is as if
   * it had the defaults, so that they still run.
   */
  public QueueSettings of(String name) {
    return find(name).orElseGet(() -> QueueSettings.plain(name));
  }

  /**
   * Why a request cannot depend on another one: their queues share nothing.
   *
   * @param queue its own
   * @param other the dependency's; null if nobody has posted it
   */
  public Optional<String> whyApart(String queue, String dependency, String other) {
    return apart(queue, other)
        ? Optional.of(
            "dependsOn: %s, expected ids of requests that share with queue %s"
                .formatted(dependency, queue))
        : Optional.empty();
  }

  /** Whether requests of two queues keep their runs and results from each other. */
  public boolean apart(String queue, String other) {
    return other != null && !queue.equals(other) && (of(queue).isolated() || of(other).isolated());
  }

  /** Whether any is isolated. */
  public boolean someApart() {
    return byName.values().stream().anyMatch(QueueSettings::isolated);
  }

  /** Names that the plain requests topic reaches, for people. */
  public String open() {
    return String.join(
        ", ",
        byName.values().stream().filter(QueueSettings::open).map(QueueSettings::name).toList());
  }

  /** All names, for people. */
  public String names() {
    return String.join(", ", byName.keySet());
  }
}
