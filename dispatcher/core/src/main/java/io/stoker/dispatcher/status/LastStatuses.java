package io.stoker.dispatcher.status;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Remembers the last status of each request on each status topic until it was compared with the
 * database. A status that is soon followed by another one of its request need not be, so a request
 * that ends at once is looked up once.
 */
public final class LastStatuses {
  /** A status is its request's last for now if none has followed for so long, in ms. */
  public static final long QUIET_MS = 1_000;

  /** With more than these the oldest are compared at once: it takes some 200 bytes each. */
  static final int MANY = 20_000;

  /** In the order in which they were read. */
  private final Map<Key, Last> last = new LinkedHashMap<>();

  private record Key(String request, int partition) {}

  /**
   * The last record of a request in a partition, which has all of them that its topic has.
   *
   * @param version that it told; below all others if it tells none
   * @param partition other for each partition of each topic
   * @param readAt ms on a clock that only rises
   */
  public record Last(String request, long version, int partition, long offset, long readAt) {
    private Key key() {
      return new Key(request, partition);
    }
  }

  /** A record was read. */
  public void read(Last record) {
    last.remove(record.key());
    last.put(record.key(), record);
  }

  /** What is to be compared now, oldest first, {@code most} at most. */
  public List<Last> due(long now, int most) {
    List<Last> due = new ArrayList<>();
    int tooMany = last.size() - MANY;
    for (Last one : last.values()) {
      if (due.size() == most || due.size() >= tooMany && now - one.readAt() < QUIET_MS) {
        break;
      }
      due.add(one);
    }
    return due;
  }

  /** These were compared, and whoever has newer statuses is owed them. */
  public void compared(Collection<Last> some) {
    some.forEach(one -> last.remove(one.key(), one));
  }

  /**
   * From where whoever comes next has to read, by partition; none of which all was compared. It
   * takes a look at all that is kept.
   */
  public Map<Integer, Long> from() {
    Map<Integer, Long> from = new HashMap<>();
    last.values().forEach(one -> from.merge(one.partition(), one.offset(), Math::min));
    return from;
  }

  /** Somebody else reads on. */
  public void clear() {
    last.clear();
  }
}
