package io.stoker.common.topic;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalInt;

/**
 * The replication of topics that are made.
 *
 * @param factor copies of each partition; without it as many as there are brokers, up to {@link
 *     #USUAL}
 * @param minInsync copies that must have a record before it is acknowledged; without it the
 *     broker's default
 */
public record Replication(OptionalInt factor, OptionalInt minInsync) {
  /** Copies that outlive a broker while another one is away for maintenance. */
  public static final int USUAL = 3;

  public static final Replication DEFAULT =
      new Replication(OptionalInt.empty(), OptionalInt.empty());

  private static final String MIN_INSYNC_REPLICAS = "min-insync-replicas";
  private static final String MIN_INSYNC = "min.insync.replicas";

  /**
   * @throws IllegalArgumentException names the value that is out of range, and what was expected
   */
  public Replication {
    require("replication-factor", factor, 1, Short.MAX_VALUE);
    require(MIN_INSYNC_REPLICAS, minInsync, 1, factor.orElse(Short.MAX_VALUE));
  }

  private static void require(String what, OptionalInt given, int least, int most) {
    if (given.isPresent() && (given.getAsInt() < least || given.getAsInt() > most)) {
      throw new IllegalArgumentException(
          "%s is %d, expected %d to %d".formatted(what, given.getAsInt(), least, most));
    }
  }

  /**
   * The factor where there are so many brokers.
   *
   * @throws IllegalArgumentException if a topic would have fewer copies than must have a record:
   *     nothing could ever be written to it
   */
  public short factor(int brokers) {
    int copies = factor.orElse(Math.max(1, Math.min(brokers, USUAL)));
    require(MIN_INSYNC_REPLICAS, minInsync, 1, copies);
    return (short) copies;
  }

  /** A topic's settings with these. */
  public Map<String, String> settings(Map<String, String> ofTopic) {
    if (minInsync.isEmpty()) {
      return ofTopic;
    }
    Map<String, String> settings = new LinkedHashMap<>(ofTopic);
    settings.put(MIN_INSYNC, String.valueOf(minInsync.getAsInt()));
    return settings;
  }
}
