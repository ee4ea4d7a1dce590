package io.stoker.common.topic;

import io.stoker.common.size.Limits;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The topics of one Stoker, under one prefix ({@code stoker.} by default).
 *
 * @param prefix what every topic name starts with, the dot included
 */
public record Topics(String prefix) {
  public static final String DEFAULT_PREFIX = "stoker.";

  /** What a host's name is, as part of its topic's. */
  public static final String HOST = "1-128 of A-Z a-z 0-9 . _ -";

  private static final Pattern HOST_FORM = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,127}");
  private static final int WIDE = 4;
  private static final Map<String, String> COMPACTED = Map.of("cleanup.policy", "compact");

  /**
   * The broker unzips records and judges their real size: else a megabyte of them would fill the
   * memory of whoever reads them, at each start again.
   */
  private static final Map<String, String> UNZIPPED = Map.of("compression.type", "uncompressed");

  /** An oversize record must reach the dispatcher to be refused there, with a reason. */
  private static final Map<String, String> ACCEPTING_OVERSIZE =
      Map.of(
          "max.message.bytes",
          Integer.toString(Limits.OVERSIZE_RECORD),
          "compression.type",
          "uncompressed");

  /** A topic as a set-up creates it. */
  public record Layout(String name, int partitions, Map<String, String> settings) {}

  public String requests() {
    return prefix + "requests";
  }

  /** The requests topic of one queue. */
  public String requests(String queue) {
    return requests() + "." + queue;
  }

  /** The queue whose own requests topic it is, if it is one. */
  public Optional<String> queueOf(String topic) {
    String start = requests() + ".";
    return topic.startsWith(start)
        ? Optional.of(topic.substring(start.length()))
        : Optional.empty();
  }

  public String control() {
    return prefix + "control";
  }

  /**
   * Whether a host may have this name.
   *
   * @param name null for none
   */
  public static boolean isHost(String name) {
    return name != null && HOST_FORM.matcher(name).matches();
  }

  /** The topic that one host's agent reads; one partition. */
  public String placements(String host) {
    return prefix + "placements." + host;
  }

  public String events() {
    return prefix + "events";
  }

  public String heartbeats() {
    return prefix + "heartbeats";
  }

  public String status() {
    return prefix + "status";
  }

  /** One queue's own topic of statuses; only where they are asked for. */
  public String status(String queue) {
    return status() + "." + queue;
  }

  /** Whether it is {@link #status()}, or a queue's own. */
  public boolean isStatus(String topic) {
    return topic.equals(status()) || topic.startsWith(status() + ".");
  }

  public String logs() {
    return prefix + "logs";
  }

  public String deadLetters() {
    return prefix + "dead-letters";
  }

  /** Who has changed what. */
  public String audit() {
    return prefix + "audit";
  }

  /**
   * Everything a set-up creates once; hosts' topics and queues' own topics of statuses are created
   * by the dispatcher.
   */
  public List<Layout> layouts() {
    return List.of(
        new Layout(requests(), WIDE, kept(Duration.ofDays(7), ACCEPTING_OVERSIZE)),
        new Layout(control(), 1, kept(Duration.ofDays(7), UNZIPPED)),
        new Layout(events(), WIDE, kept(Duration.ofDays(7), UNZIPPED)),
        new Layout(heartbeats(), 1, COMPACTED),
        new Layout(status(), WIDE, COMPACTED),
        new Layout(logs(), WIDE, kept(Duration.ofDays(2), Map.of())),
        new Layout(deadLetters(), 1, kept(Duration.ofDays(90), Map.of())),
        new Layout(audit(), 1, kept(Duration.ofDays(365), Map.of())));
  }

  /** As {@link #layouts()}, and the request topics of queues. */
  public List<Layout> layouts(Collection<String> queues) {
    return Stream.concat(
            layouts().stream(),
            queues.stream()
                .map(
                    queue ->
                        new Layout(
                            requests(queue), WIDE, kept(Duration.ofDays(7), ACCEPTING_OVERSIZE))))
        .toList();
  }

  /** As {@link #layouts()}, and those request topics of queues that are among {@code names}. */
  public List<Layout> layoutsAmong(Collection<String> names) {
    return layouts(names.stream().map(this::queueOf).flatMap(Optional::stream).sorted().toList());
  }

  /** A host's placements are kept for hours only: rows are published again anyway. */
  public Layout placementsLayout(String host) {
    return new Layout(placements(host), 1, kept(Duration.ofHours(4), Map.of()));
  }

  /** As that of {@link #status()}. */
  public Layout statusLayout(String queue) {
    return new Layout(status(queue), WIDE, COMPACTED);
  }

  private static Map<String, String> kept(Duration time, Map<String, String> others) {
    Map<String, String> settings = new TreeMap<>(others);
    settings.put("cleanup.policy", "delete");
    settings.put("retention.ms", Long.toString(time.toMillis()));
    return settings;
  }
}
