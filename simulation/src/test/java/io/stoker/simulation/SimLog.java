package io.stoker.simulation;

import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.UniEmitter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The log: topics of partitions of records at offsets. What one producer sends to one partition
 * keeps its order; partitions know nothing of each other. A record may be there twice, and the
 * broker's word that it is there may be lost.
 */
final class SimLog {
  /** A record; its value is the message itself. */
  record Entry(String key, Object value) {}

  /** One partition. */
  static final class Partition {
    private final String name;
    private final List<Entry> entries = new ArrayList<>();
    private final List<Runnable> readers = new ArrayList<>();
    private int committed;

    Partition(String name) {
      this.name = name;
    }

    String name() {
      return name;
    }

    int end() {
      return entries.size();
    }

    Entry at(int offset) {
      return entries.get(offset);
    }

    /** Where whoever reads it for all goes on. */
    int committed() {
      return committed;
    }

    void commit(int offset) {
      committed = offset;
    }

    /** Called after each append. */
    void onAppend(Runnable reader) {
      readers.add(reader);
    }
  }

  /** Longest time that a record is on its way without its sender, in ms. */
  private static final long IN_FLIGHT = 3;

  private final World world;
  private final Map<String, List<Partition>> topics = new LinkedHashMap<>();
  private final Map<Life, Map<Partition, Long>> lastAppend = new HashMap<>();
  private final Life broker = new Life(Life.Kind.MACHINE, "broker");
  private long awayUntil;

  SimLog(World world) {
    this.world = world;
  }

  List<Partition> create(String topic, int partitions) {
    List<Partition> made = new ArrayList<>();
    for (int i = 0; i < partitions; i++) {
      made.add(new Partition(topic + "-" + i));
    }
    topics.put(topic, made);
    return made;
  }

  List<Partition> partitions(String topic) {
    return topics.get(topic);
  }

  boolean away() {
    return world.now() < awayUntil;
  }

  void away(long until) {
    awayUntil = Math.max(awayUntil, until);
  }

  /** Sends again until the broker's word is heard. */
  Uni<Void> send(Wire from, String topic, String key, Object value) {
    return Uni.createFrom()
        .emitter(emitter -> send(from, partition(topic, key), key, value, emitter, true));
  }

  /** Sends once: whoever needs to say more says it anew. */
  Uni<Void> sendOnce(Wire from, String topic, String key, Object value) {
    return Uni.createFrom()
        .emitter(emitter -> send(from, partition(topic, key), key, value, emitter, false));
  }

  private Partition partition(String topic, String key) {
    List<Partition> all = topics.get(topic);
    return all.get(Math.floorMod(key.hashCode(), all.size()));
  }

  private void send(
      Wire from,
      Partition to,
      String key,
      Object value,
      UniEmitter<? super Void> emitter,
      boolean retry) {
    Life sender = from.life();
    if (Mortality.dies(world, sender)) {
      return;
    }
    Map<Partition, Long> last = lastAppend.computeIfAbsent(sender, life -> new HashMap<>());
    long reachable = Math.max(Math.max(from.cutOffUntil(), awayUntil), world.now());
    long at = Math.max(reachable + world.delay(), last.getOrDefault(to, 0L));
    last.put(to, at);
    world.timeline.after(
        at - world.now(),
        // What is about to arrive does so though its sender dies or is stopped meanwhile.
        world.chance.is(0.5) && at - world.now() < IN_FLIGHT ? broker : sender,
        () -> arrive(from, to, new Entry(key, value), emitter, retry));
  }

  private void arrive(
      Wire from, Partition to, Entry entry, UniEmitter<? super Void> emitter, boolean retry) {
    if (!loses(to)) {
      append(to, entry);
      if (world.fault(Fault.REPEATED)) {
        append(to, entry);
      }
    }
    if (from.life().over() || Mortality.dies(world, from.life())) {
      return;
    }
    // A producer's own retries keep their order; a second sending by its user comes late.
    boolean heard = !retry || !world.fault(Fault.REPLY_LOST);
    if (heard) {
      world.timeline.after(world.delay(), from.life(), () -> emitter.complete(null));
    } else {
      world.timeline.after(
          world.chance.between(50, 3_000),
          from.life(),
          () -> send(from, to, entry.key(), entry.value(), emitter, true));
    }
  }

  /** Of events alone: what they tell is asked for again. */
  private boolean loses(Partition partition) {
    return topics.get("events").contains(partition)
        && world.fault(Fault.EVENT_LOST, world.diskChance, Optional.empty());
  }

  /** A record is in the log once more, as whoever has read it can see to. */
  void replay(Partition partition, int offset) {
    append(partition, partition.at(offset));
  }

  /** Somebody has written this behind a record, with its key. */
  void forge(Partition partition, int offset, Object value) {
    append(partition, new Entry(partition.at(offset).key(), value));
  }

  private void append(Partition to, Entry entry) {
    to.entries.add(entry);
    to.readers.forEach(Runnable::run);
  }

  /** Calls the reader after each append to the partition, until its life is over. */
  void follow(Partition partition, Life reader, Consumer<Partition> onAppend) {
    partition.onAppend(
        () -> {
          if (!reader.over()) {
            onAppend.accept(partition);
          }
        });
  }
}
