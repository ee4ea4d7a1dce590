package io.stoker.e2e.faults;

import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.stack.StatusLog;
import io.stoker.e2e.stack.TopicLog;
import io.stoker.kafka.KafkaAccess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Where requests stand by the status topic, counted as records arrive: for so many of them that
 * going through all records again and again would take longer than they do.
 */
final class Endings implements AutoCloseable {
  private final Map<String, NavigableMap<Long, RequestState>> seen = new ConcurrentHashMap<>();
  private final Map<String, Long> last = new ConcurrentHashMap<>();
  private final Set<String> ended = ConcurrentHashMap.newKeySet();
  private final TopicLog<Boolean> log;

  Endings(KafkaAccess access, String topic) {
    log = new TopicLog<>(access, topic, this::note);
  }

  private boolean note(ConsumerRecord<String, byte[]> record) {
    RequestStatus status;
    try {
      status = Json.read(record.value(), RequestStatus.class);
    } catch (MalformedJson e) {
      throw new AssertionError("no status on the status topic: " + record, e);
    }
    seen.computeIfAbsent(status.id(), id -> new ConcurrentSkipListMap<>())
        .put(status.version(), status.state());
    last.put(status.id(), status.version());
    return StatusLog.ENDS.contains(status.state()) && ended.add(status.id());
  }

  /** So many requests have ended. */
  int ended() {
    return ended.size();
  }

  /** Waits until so many have ended. */
  void awaitEnded(int count, Duration atMost) {
    log.await(
        atMost,
        any -> ended.size() >= count ? Boolean.TRUE : null,
        () -> "of %d requests %d have ended".formatted(count, ended.size()));
  }

  /** The version of the last record of each: what compaction leaves. */
  Map<String, Long> lastVersions() {
    return Map.copyOf(last);
  }

  /** Sentences about requests that have not ended, or otherwise than by succeeding, or twice. */
  List<String> wrong(Collection<String> ids) {
    List<String> wrong = new ArrayList<>();
    for (String id : ids) {
      NavigableMap<Long, RequestState> versions = seen.getOrDefault(id, new TreeMap<>());
      List<RequestState> ends =
          versions.values().stream().filter(StatusLog.ENDS::contains).toList();
      if (!ends.equals(List.of(RequestState.SUCCEEDED))
          || versions.lastEntry().getValue() != RequestState.SUCCEEDED) {
        wrong.add(id + " must succeed once and for good: " + versions);
      }
    }
    return wrong;
  }

  @Override
  public void close() {
    log.close();
  }
}
