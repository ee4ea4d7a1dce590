package io.stoker.e2e.stack;

import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.RequestState;
import io.stoker.kafka.KafkaAccess;
import java.time.Duration;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** The status topic as a consumer sees it. */
public final class StatusLog implements AutoCloseable {
  /** Long: the machine may be busy with much else, and a passing test never waits for it. */
  public static final Duration PATIENCE = Duration.ofSeconds(300);

  public static final Set<RequestState> ENDS =
      EnumSet.of(
          RequestState.SUCCEEDED,
          RequestState.FAILED,
          RequestState.CANCELLED,
          RequestState.REJECTED);

  private final Set<String> dropped = ConcurrentHashMap.newKeySet();
  private final TopicLog<Entry> log;

  /** A status and the record that carried it. */
  public record Entry(RequestStatus status, ConsumerRecord<String, byte[]> record) {}

  StatusLog(KafkaAccess access, String topic) {
    log = new TopicLog<>(access, topic, this::read);
  }

  private Entry read(ConsumerRecord<String, byte[]> record) {
    if (record.value() == null) {
      dropped.add(record.key());
      return null;
    }
    try {
      return new Entry(Json.read(record.value(), RequestStatus.class), record);
    } catch (MalformedJson e) {
      throw new AssertionError("no status on the status topic: " + record, e);
    }
  }

  /** Whether there was a tombstone for a request. */
  public boolean dropped(String id) {
    return dropped.contains(id);
  }

  /** The first status of a request in one of these states. */
  public RequestStatus await(String id, RequestState... states) {
    Set<RequestState> wanted = Set.of(states);
    return await(id, status -> wanted.contains(status.state()), wanted.toString());
  }

  /** The first status of a request that fits. */
  public RequestStatus await(String id, Predicate<RequestStatus> fits, String what) {
    return log.await(
        PATIENCE,
        entries ->
            entries.stream()
                .map(Entry::status)
                .filter(status -> status.id().equals(id) && fits.test(status))
                .findFirst()
                .orElse(null),
        () -> id + " was not seen " + what + ", only " + states(id));
  }

  /** The first terminal status of a request. */
  public RequestStatus awaitEnd(String id) {
    return await(id, ENDS.toArray(new RequestState[0]));
  }

  /** Each time that one was published, in order. */
  public List<Entry> said(RequestStatus status) {
    return history(status.id()).stream()
        .filter(entry -> entry.status().version() == status.version())
        .toList();
  }

  /** The same, once it is more than one. */
  public List<Entry> awaitAgain(RequestStatus status) {
    return log.await(
        PATIENCE,
        entries -> said(status).size() > 1 ? said(status) : null,
        () -> status + " was not said again");
  }

  /** Waits until all of these have ended. */
  public void awaitEnds(Collection<String> ids, Duration atMost) {
    log.await(
        atMost,
        entries -> unended(ids, entries).isEmpty() ? Boolean.TRUE : null,
        () -> "these have not ended: " + tails(unended(ids, log.all())));
  }

  private static Set<String> unended(Collection<String> ids, List<Entry> entries) {
    Set<String> left = new HashSet<>(ids);
    entries.stream()
        .map(Entry::status)
        .filter(status -> ENDS.contains(status.state()))
        .forEach(status -> left.remove(status.id()));
    return left;
  }

  private Map<String, RequestStatus> tails(Set<String> ids) {
    Map<String, RequestStatus> tails = new LinkedHashMap<>(newest());
    tails.keySet().retainAll(ids);
    return tails;
  }

  /** Everything said of a request, in order. */
  public List<Entry> history(String id) {
    return log.all().stream().filter(entry -> entry.status().id().equals(id)).toList();
  }

  /** The states of a request as its consumer sees them: what is not newer is dropped. */
  public List<RequestStatus> seen(String id) {
    long[] newest = {-1};
    return history(id).stream()
        .map(Entry::status)
        .filter(
            status -> {
              boolean newer = status.version() > newest[0];
              newest[0] = Math.max(newest[0], status.version());
              return newer;
            })
        .toList();
  }

  /** The newest status of each request, which is what a consumer goes by. */
  public Map<String, RequestStatus> newest() {
    return log.all().stream()
        .map(Entry::status)
        .collect(
            Collectors.toMap(
                RequestStatus::id,
                status -> status,
                (a, b) -> b.version() < a.version() ? a : b,
                LinkedHashMap::new));
  }

  /**
   * The last record of each request, which is what compaction leaves: of two dispatchers one may
   * say an older one a moment after the other, and then the newest is said again.
   */
  private Map<String, RequestStatus> lasts() {
    return log.all().stream()
        .map(Entry::status)
        .collect(
            Collectors.toMap(RequestStatus::id, status -> status, (a, b) -> b, LinkedHashMap::new));
  }

  /** Waits until the last records of the topic fit. */
  public void awaitLasts(Predicate<Map<String, RequestStatus>> fits, String what) {
    log.await(
        PATIENCE, entries -> fits.test(lasts()) ? Boolean.TRUE : null, () -> what + ": " + lasts());
  }

  private List<String> states(String id) {
    return history(id).stream()
        .map(Entry::status)
        .map(status -> status.state() + " v" + status.version() + " " + status.reason())
        .toList();
  }

  @Override
  public void close() {
    log.close();
  }
}
