package io.stoker.agent.report;

import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.EventsRecord;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.ToIntFunction;

/** A topic of events that takes each record when a test says so, or at once. */
final class HandBroker implements Outlet {
  private final ToIntFunction<String> partitions;
  private final boolean atOnce;
  private final List<String> keys = new CopyOnWriteArrayList<>();
  private final List<EventsRecord> records = new CopyOnWriteArrayList<>();
  private final List<CompletableFuture<Void>> answers = new CopyOnWriteArrayList<>();

  private HandBroker(ToIntFunction<String> partitions, boolean atOnce) {
    this.partitions = partitions;
    this.atOnce = atOnce;
  }

  /** One that takes all at once; its topic has a partition for each first letter. */
  static HandBroker willing(ToIntFunction<String> partitions) {
    return new HandBroker(partitions, true);
  }

  /** One that takes nothing by itself; its topic has one partition. */
  static HandBroker slow() {
    return new HandBroker(key -> 0, false);
  }

  @Override
  public int partition(String key) {
    return partitions.applyAsInt(key);
  }

  @Override
  public CompletionStage<Void> send(String key, byte[] value) {
    CompletableFuture<Void> answer = new CompletableFuture<>();
    keys.add(key);
    records.add(read(value));
    answers.add(answer);
    if (atOnce) {
      answer.complete(null);
    }
    return answer;
  }

  private static EventsRecord read(byte[] value) {
    try {
      return Json.read(value, EventsRecord.class);
    } catch (MalformedJson e) {
      throw new AssertionError(e);
    }
  }

  void take(int record) {
    answers.get(record).complete(null);
  }

  void refuse(int record) {
    answers.get(record).completeExceptionally(new IllegalStateException("no broker"));
  }

  List<EventsRecord> records() {
    return List.copyOf(records);
  }

  List<String> keys() {
    return List.copyOf(keys);
  }

  List<AttemptEvent> events() {
    return records.stream().flatMap(record -> record.events().stream()).toList();
  }
}
