package io.stoker.dispatcher.service.backup;

import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.backup.Position;
import io.stoker.dispatcher.coordinator.leader.Restoration;
import io.stoker.dispatcher.service.config.StokerConfig;
import io.stoker.dispatcher.service.postgres.Database;
import io.stoker.dispatcher.service.postgres.RestorationTable;
import io.stoker.dispatcher.service.postgres.RestorationTable.Unread;
import io.stoker.kafka.KafkaAccess;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jboss.logging.Logger;

/**
 * What was said to a database that is no more is read again by the one that was restored in its
 * place: ends of attempts, cancels, requests. Nobody schedules before all of that has been taken,
 * so that nothing runs again whose end is on the topic, and nothing that was cancelled. Control
 * messages come last, since they are about requests and ends: a retry is of one that has failed.
 *
 * <p>A partition is read again once some replica has taken its records, or their offsets are
 * committed: the former is known of records whose commit failed, the latter of those whose replica
 * died since.
 */
@ApplicationScoped
public class Replay implements Restoration {
  private static final Logger LOG = Logger.getLogger(Replay.class);

  private static final Duration APART = Duration.ofMillis(500);

  private final Database database;
  private final Topics topics;
  private final KafkaAccess kafka;
  private final String group;
  private final Map<TopicPartition, Long> taken = new ConcurrentHashMap<>();

  /** Until it is known otherwise. */
  private volatile boolean open = true;

  private long saidLeft = -1;

  /** Only while there is something to be read again. */
  private Brokers brokers;

  Replay(Database database, Topics topics, KafkaAccess kafka, StokerConfig config) {
    this.database = database;
    this.topics = topics;
    this.kafka = kafka;
    group = config.group();
  }

  /** These records have had their effect, and all before them in their partitions. */
  public void taken(Iterable<ConsumerRecord<byte[], byte[]>> records) {
    if (!open) {
      return;
    }
    for (ConsumerRecord<byte[], byte[]> one : records) {
      taken.merge(new TopicPartition(one.topic(), one.partition()), one.offset() + 1, Math::max);
    }
  }

  /** Waits until all but the control topic has been read again. */
  public Uni<Void> othersRead() {
    return open
        ? Uni.createFrom()
            .deferred(
                () -> database.read(one -> RestorationTable.unreadBeside(one, topics.control())))
            .repeat()
            .withDelay(APART)
            .whilst(unread -> unread)
            .collect()
            .last()
            .replaceWithVoid()
        : Uni.createFrom().voidItem();
  }

  @Override
  public void over() {
    open = false;
    taken.clear();
  }

  @Override
  public Uni<Void> look() {
    return database
        .read(RestorationTable::unread)
        .chain(
            unread ->
                Uni.createFrom()
                    .item(() -> read(unread))
                    .runSubscriptionOn(Infrastructure.getDefaultWorkerPool())
                    .chain(read -> note(unread, read)));
  }

  private synchronized List<Unread> read(List<Unread> unread) {
    if (unread.isEmpty()) {
      close();
      return List.of();
    }
    if (brokers == null) {
      brokers = new Brokers(kafka, topics, group);
    }
    List<Position> committed =
        brokers.at(
            unread.stream()
                .map(one -> new Position(null, one.topic(), one.partition(), 0))
                .toList());
    List<Unread> read = new ArrayList<>();
    long left = 0;
    for (int i = 0; i < unread.size(); i++) {
      Unread one = unread.get(i);
      TopicPartition partition = new TopicPartition(one.topic(), one.partition());
      long at = Math.max(committed.get(i).offset(), taken.getOrDefault(partition, 0L));
      if (at >= one.until()) {
        read.add(one);
      } else {
        left += one.until() - at;
      }
    }
    say(left);
    return read;
  }

  private void say(long left) {
    if (left != saidLeft) {
      saidLeft = left;
      LOG.infof(
          "nothing is scheduled yet, as the database was restored: %d record(s) are to be read again",
          left);
    }
  }

  private Uni<Void> note(List<Unread> unread, List<Unread> read) {
    Uni<Void> noted =
        read.isEmpty()
            ? Uni.createFrom().voidItem()
            : database.transaction(session -> RestorationTable.read(session, read));
    return read.size() == unread.size() ? noted.chain(this::finish) : noted;
  }

  /** What was published of requests that are not where they were then is owed, in slices. */
  private Uni<Void> finish() {
    return database
        .transaction(RestorationTable::owe)
        .chain(
            owed ->
                owed > 0
                    ? finish()
                    : database
                        .transaction(RestorationTable::replayed)
                        .invoke(() -> LOG.info("the topics have been read again")));
  }

  @PreDestroy
  synchronized void close() {
    if (brokers != null) {
      brokers.close();
      brokers = null;
    }
  }
}
