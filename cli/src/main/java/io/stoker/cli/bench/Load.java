package io.stoker.cli.bench;

import io.stoker.cli.kafka.RecordWriter;
import io.stoker.cli.kafka.TopicTail;
import io.stoker.cli.outcome.CliException;
import io.stoker.cli.terminal.ProgressLine;
import io.stoker.common.json.Json;
import io.stoker.common.message.ControlMessage;
import io.stoker.common.request.RequestArray;
import io.stoker.common.state.RequestState;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/** Posts many requests at once and waits until the status topic says something of each. */
final class Load {
  private static final Duration POLL = Duration.ofMillis(100);
  private static final int LINGER_MILLIS = 5;

  /** Types of statuses after which nothing comes. */
  private static final Set<String> TERMINAL =
      Stream.of(RequestState.values())
          .filter(RequestState::terminal)
          .map(RequestState::eventType)
          .collect(Collectors.toSet());

  /** Nothing at all for so long is no slowness but a fault. */
  private static final Duration STALLED = Duration.ofSeconds(60);

  private final Target target;
  private final Requests requests;
  private final ProgressLine progress;
  private final int perRecord;

  Load(Target target, Requests requests, ProgressLine progress) {
    this(target, requests, progress, 1);
  }

  /**
   * @param perRecord so many requests are posted in one record, as an array
   */
  Load(Target target, Requests requests, ProgressLine progress, int perRecord) {
    this.target = target;
    this.requests = requests;
    this.progress = progress;
    this.perRecord = perRecord;
  }

  /** Whether a record of the status topic tells that its request is where it should be. */
  interface Arrival extends Predicate<ConsumerRecord<byte[], byte[]>> {}

  /**
   * Posts new requests and returns when all are where they should be.
   *
   * @return seconds from the first produce until the last status was read
   */
  double post(String what, int jobs, Arrival arrival) {
    List<Requests.Made> made = Stream.generate(requests::next).limit(jobs).toList();
    return send(what, target.topics().requests(), arrival, made, perRecord);
  }

  /**
   * Posts a new request for each that ends. It is done without a pause between what is not measured
   * and what is: in one, a line of a thousand runs dry.
   *
   * @param before so many end first
   * @param begun told when they have
   * @return seconds from then until {@code jobs} more have ended
   */
  double replace(String what, int before, int jobs, Runnable begun) {
    List<String> topics = List.of(target.topics().status());
    try (TopicTail tail = TopicTail.open(target.kafka(), topics);
        RecordWriter writer =
            new RecordWriter(target.kafka(), target.topics().requests(), LINGER_MILLIS)) {
      Arrival replaced = record -> replaced(record, writer);
      awaitAll(what + ", filling the hosts", before, tail, replaced);
      begun.run();
      long start = System.nanoTime();
      awaitAll(what, jobs, tail, replaced);
      double seconds = (System.nanoTime() - start) / 1e9;
      writer.flush();
      return seconds;
    }
  }

  private boolean replaced(ConsumerRecord<byte[], byte[]> record, RecordWriter writer) {
    boolean ended = isTerminal(record);
    if (ended) {
      Requests.Made next = requests.next();
      writer.send(next.id(), next.body());
    }
    return ended;
  }

  /** Cancels all that were posted, and returns when they have ended. */
  void cancel(String what) {
    List<Requests.Made> cancels =
        requests
            .ids()
            .map(id -> new Requests.Made(id, Json.bytes(new ControlMessage.Cancel(id, id, null))))
            .toList();
    send(what, target.topics().control(), Load::isTerminal, cancels, 1);
  }

  /** By the type that its headers tell: what is in it need not be read. */
  static boolean isTerminal(ConsumerRecord<byte[], byte[]> record) {
    Header type = record.headers().lastHeader("ce_type");
    return type != null && TERMINAL.contains(new String(type.value(), StandardCharsets.UTF_8));
  }

  private double send(
      String what, String topic, Arrival arrival, List<Requests.Made> messages, int perRecord) {
    List<byte[]> bodies = messages.stream().map(Requests.Made::body).toList();
    List<String> topics = List.of(target.topics().status());
    try (TopicTail tail = TopicTail.open(target.kafka(), topics);
        RecordWriter writer = new RecordWriter(target.kafka(), topic, LINGER_MILLIS)) {
      long start = System.nanoTime();
      int sent = 0;
      for (RequestArray.Packed packed : RequestArray.pack(bodies, perRecord)) {
        writer.send(messages.get(sent).id(), packed.value());
        sent += packed.count();
      }
      awaitAll(what, messages.size(), tail, arrival);
      double seconds = (System.nanoTime() - start) / 1e9;
      writer.flush();
      return seconds;
    }
  }

  private void awaitAll(String what, int jobs, TopicTail tail, Arrival arrival) {
    Set<String> there = new HashSet<>();
    long lastNews = System.nanoTime();
    while (there.size() < jobs) {
      for (ConsumerRecord<byte[], byte[]> record : tail.poll(POLL)) {
        String id = new String(record.key(), StandardCharsets.UTF_8);
        if (requests.owns(id) && arrival.test(record) && there.add(id)) {
          lastNews = System.nanoTime();
        }
      }
      progress.update("%s: %,d of %,d".formatted(what, there.size(), jobs));
      if (Thread.currentThread().isInterrupted()) {
        throw CliException.interrupted();
      }
      if (System.nanoTime() - lastNews > STALLED.toNanos()) {
        throw CliException.failed(
            "%s: no news for %d s at %,d of %,d jobs: are there hosts that may take them?"
                .formatted(what, STALLED.toSeconds(), there.size(), jobs));
      }
    }
  }
}
