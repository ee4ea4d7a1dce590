package io.stoker.cli.bench;

import io.stoker.cli.kafka.RecordWriter;
import io.stoker.cli.kafka.TopicTail;
import io.stoker.cli.outcome.CliException;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.EventsRecord;
import io.stoker.common.message.PlacementsRecord;
import io.stoker.common.topic.Topics;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Many virtual hosts in one thread of this process. */
final class VirtualFleet implements AutoCloseable {
  /** As many as one server has CPU slots by default. */
  private static final int CPU_SLOTS = 4;

  private static final long JOB_NANOS = Duration.ofMillis(500).toNanos();
  private static final long BEAT_NANOS = Duration.ofSeconds(2).toNanos();
  private static final Duration POLL = Duration.ofMillis(10);
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Map<String, VirtualHost> hosts = new LinkedHashMap<>();
  private final Topics topics;
  private final TopicTail placements;
  private final RecordWriter heartbeats;
  private final RecordWriter events;
  private final Thread thread;
  private volatile long apartNanos;
  private volatile boolean welcomed;
  private volatile boolean stopped;
  private volatile RuntimeException problem;

  private VirtualFleet(Target target, byte[] secret, int count) {
    IntStream.rangeClosed(1, count)
        .mapToObj(i -> new VirtualHost("virtual-" + i, secret, CPU_SLOTS, JOB_NANOS))
        .forEach(host -> hosts.put(host.name(), host));
    topics = target.topics();
    placements =
        TopicTail.ofNewTopics(
            target.kafka(), hosts.keySet().stream().map(topics::placements).toList());
    heartbeats = new RecordWriter(target.kafka(), topics.heartbeats(), 0);
    events = new RecordWriter(target.kafka(), topics.events(), 0);
    thread = Thread.ofPlatform().name("virtual-hosts").daemon().unstarted(this::run);
  }

  /**
   * Starts them and returns when all are welcomed.
   *
   * @param secret the stack's, of which the hosts' keys are derived
   */
  static VirtualFleet start(Target target, byte[] secret, int count) throws InterruptedException {
    VirtualFleet fleet = new VirtualFleet(target, secret, count);
    fleet.thread.start();
    long start = System.nanoTime();
    while (!fleet.welcomed) {
      if (fleet.problem != null || System.nanoTime() - start > PATIENCE.toNanos()) {
        fleet.close();
        throw fleet.problem != null
            ? fleet.problem
            : CliException.failed("the dispatcher does not welcome the virtual hosts");
      }
      Thread.sleep(POLL);
    }
    return fleet;
  }

  /** From now on one job at a time ends, so long after the one before. */
  void endApart(Duration apart) {
    apartNanos = apart.toNanos();
  }

  /** Throws what stopped the hosts, if something did. */
  void check() {
    if (problem != null) {
      throw problem;
    }
  }

  private void run() {
    try (placements;
        heartbeats;
        events) {
      long beatAt = System.nanoTime() - BEAT_NANOS;
      long endedAt = System.nanoTime();
      while (!stopped) {
        if (System.nanoTime() - beatAt >= BEAT_NANOS) {
          beatAt = System.nanoTime();
          hosts.values().forEach(host -> heartbeats.send(host.name(), host.sign()));
        }
        for (ConsumerRecord<byte[], byte[]> record : placements.poll(POLL)) {
          PlacementsRecord told = read(record);
          hosts.get(told.host()).take(told, this::report);
        }
        if (apartNanos == 0) {
          hosts.values().forEach(host -> host.end(this::report));
        } else if (System.nanoTime() - endedAt >= apartNanos
            && hosts.values().stream().anyMatch(host -> host.endOne(this::report))) {
          endedAt = System.nanoTime();
        }
        welcomed = welcomed || hosts.values().stream().allMatch(VirtualHost::welcomed);
      }
    } catch (RuntimeException e) {
      problem = e;
    }
  }

  private void report(String job, EventsRecord record) {
    events.send(job, Json.bytes(record));
  }

  private static PlacementsRecord read(ConsumerRecord<byte[], byte[]> record) {
    try {
      return Json.read(record.value(), PlacementsRecord.class);
    } catch (MalformedJson e) {
      throw CliException.failed("no placements record: " + e.getMessage());
    }
  }

  @Override
  public void close() {
    stopped = true;
    try {
      thread.join(PATIENCE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
