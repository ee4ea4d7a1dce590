package io.stoker.dispatcher.service.protocol;

import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.RequestState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** The status topic as a consumer sees it. */
final class Statuses implements AutoCloseable {
  private final TopicLog log;
  private final Map<String, List<RequestStatus>> byId = new HashMap<>();
  private final Set<String> tombstones = new HashSet<>();

  Statuses(String bootstrap, String topic) {
    log = TopicLog.fromNow(bootstrap, topic);
  }

  /** Until the request was said to be no more. */
  void awaitTombstone(String id) {
    until("tombstone of " + id, () -> tombstones.contains(id));
  }

  /** Every status of the request that is on the topic now, in its order. */
  List<RequestStatus> of(String id) {
    index(log.rest());
    return List.copyOf(known(id));
  }

  /** The last status of each request that is on the topic now. */
  Map<String, RequestStatus> last() {
    index(log.rest());
    Map<String, RequestStatus> last = new HashMap<>();
    byId.forEach((id, statuses) -> last.put(id, statuses.getLast()));
    return last;
  }

  /** The status by which the request has reached a state. */
  RequestStatus await(String id, RequestState state) {
    until(id + " " + state, () -> find(id, state).isPresent());
    return find(id, state).orElseThrow();
  }

  /** Until the request's last status on the topic tells of a state. */
  void awaitLast(String id, RequestState state) {
    until(id + " " + state + " at last", () -> lastIs(id, state));
  }

  private boolean lastIs(String id, RequestState state) {
    List<RequestStatus> known = known(id);
    return !known.isEmpty() && known.getLast().state() == state;
  }

  /** The first status of the request that is so. */
  RequestStatus awaitThat(String id, Predicate<RequestStatus> so) {
    until(id + " as expected", () -> known(id).stream().anyMatch(so));
    return known(id).stream().filter(so).findFirst().orElseThrow();
  }

  private void until(String what, BooleanSupplier so) {
    TopicLog.until(
        what,
        () -> {
          if (!so.getAsBoolean()) {
            index(log.poll());
          }
          return so.getAsBoolean();
        });
  }

  private Optional<RequestStatus> find(String id, RequestState state) {
    return known(id).stream().filter(status -> status.state() == state).findFirst();
  }

  private List<RequestStatus> known(String id) {
    return byId.getOrDefault(id, List.of());
  }

  private void index(List<ConsumerRecord<byte[], byte[]>> records) {
    for (ConsumerRecord<byte[], byte[]> record : records) {
      if (record.value() == null) {
        tombstones.add(TopicLog.key(record));
        byId.remove(TopicLog.key(record));
        continue;
      }
      byId.computeIfAbsent(TopicLog.key(record), id -> new ArrayList<>()).add(read(record));
    }
  }

  private static RequestStatus read(ConsumerRecord<byte[], byte[]> record) {
    try {
      return Json.read(record.value(), RequestStatus.class);
    } catch (MalformedJson e) {
      throw new AssertionError("a status that nobody can read", e);
    }
  }

  @Override
  public void close() {
    log.close();
  }
}
