package io.stoker.dispatcher.service.backup;

import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.backup.Position;
import io.stoker.dispatcher.backup.Reach.Partition;
import io.stoker.dispatcher.service.config.StokerConfig;
import io.stoker.dispatcher.service.status.StatusReader;
import io.stoker.kafka.KafkaAccess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Asks the brokers where topics end, and where the dispatchers' consumer groups stand in them. */
final class Brokers implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final Admin admin;
  private final Map<String, String> groups;
  private final String statuses;
  private final Topics topics;

  /**
   * @param group of the dispatchers, as {@code stoker.group} names it
   */
  Brokers(KafkaAccess kafka, Topics topics, String group) {
    this.topics = topics;
    groups = new LinkedHashMap<>();
    groups.put(topics.requests(), group);
    groups.put(topics.events(), StokerConfig.eventsGroup(group));
    groups.put(topics.control(), group + "-control");
    statuses = StatusReader.group(group);
    admin =
        kafka.admin(
            Map.of(
                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG,
                (int) PATIENCE.toMillis() / 3,
                AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                (int) PATIENCE.toMillis()));
  }

  /** The group that reads a topic; null if none does. */
  private String group(String topic) {
    String kind = topics.queueOf(topic).isPresent() ? topics.requests() : topic;
    return groups.get(kind);
  }

  String cluster() {
    return await(admin.describeCluster().clusterId());
  }

  /** Everything that groups read, as it is. */
  List<Partition> consumed() {
    return partitions(named(name -> group(name) != null));
  }

  /** The topics that no group reads, and of which a backup notes the ends, as they are. */
  List<Partition> followed() {
    return partitions(List.of(topics.heartbeats(), topics.status()));
  }

  /** What who schedules reads of what was published. Nobody waits until it is read again. */
  List<Partition> published() {
    return partitions(named(topics::isStatus)).stream()
        .map(
            one ->
                new Partition(
                    new Position(statuses, one.at().topic(), one.at().partition(), 0),
                    one.begin(),
                    one.end()))
        .toList();
  }

  private List<String> named(Predicate<String> which) {
    return await(admin.listTopics().names()).stream().filter(which).toList();
  }

  private List<Partition> partitions(Collection<String> names) {
    List<TopicPartition> all = new ArrayList<>();
    admin
        .describeTopics(names)
        .topicNameValues()
        .forEach(
            (name, described) -> {
              for (TopicPartitionInfo one : described(name, described).partitions()) {
                all.add(new TopicPartition(name, one.partition()));
              }
            });
    all.sort(Comparator.comparing(TopicPartition::topic).thenComparing(TopicPartition::partition));
    Map<TopicPartition, ListOffsetsResultInfo> begins = offsets(all, OffsetSpec.earliest());
    Map<TopicPartition, ListOffsetsResultInfo> ends = offsets(all, OffsetSpec.latest());
    return all.stream()
        .map(
            one ->
                new Partition(
                    new Position(group(one.topic()), one.topic(), one.partition(), 0),
                    begins.get(one).offset(),
                    ends.get(one).offset()))
        .toList();
  }

  private static TopicDescription described(String name, KafkaFuture<TopicDescription> topic) {
    try {
      return await(topic);
    } catch (UnknownTopicOrPartitionException e) {
      throw new KafkaException("topic %s is not there".formatted(name), e);
    }
  }

  private Map<TopicPartition, ListOffsetsResultInfo> offsets(
      List<TopicPartition> of, OffsetSpec which) {
    return await(
        admin.listOffsets(of.stream().collect(Collectors.toMap(one -> one, one -> which))).all());
  }

  /**
   * Where the groups go on in these; from the beginning where one has read nothing yet, or what it
   * was to read next is no more.
   */
  List<Position> committed(List<Partition> partitions) {
    Map<String, Map<TopicPartition, OffsetAndMetadata>> known = new TreeMap<>();
    for (Partition one : partitions) {
      known.computeIfAbsent(
          one.at().group(),
          group -> await(admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata()));
    }
    return partitions.stream()
        .map(
            one -> {
              OffsetAndMetadata at =
                  known
                      .get(one.at().group())
                      .get(new TopicPartition(one.at().topic(), one.at().partition()));
              // What the topic has lost since nobody reads, nor ever commits.
              return one.at().at(at == null ? one.begin() : Math.max(at.offset(), one.begin()));
            })
        .toList();
  }

  /** Where the groups go on in the partitions of these; 0 of a topic that is not there. */
  List<Position> at(List<Position> positions) {
    Set<String> topics = positions.stream().map(Position::topic).collect(Collectors.toSet());
    List<Partition> there = partitions(named(topics::contains));
    return committed(
        positions.stream()
            .map(
                one ->
                    there.stream()
                        .filter(partition -> partition.at().isIn(one))
                        .findFirst()
                        .orElseGet(() -> nothing(one)))
            .toList());
  }

  private Partition nothing(Position at) {
    return new Partition(new Position(group(at.topic()), at.topic(), at.partition(), 0), 0, 0);
  }

  /** Who reads as a member of the groups, with where from. */
  List<String> members() {
    Map<String, ConsumerGroupDescription> described = new TreeMap<>();
    admin
        .describeConsumerGroups(groups.values())
        .describedGroups()
        .forEach(
            (group, found) -> {
              try {
                described.put(group, await(found));
              } catch (GroupIdNotFoundException nobodyYet) {
                // Nobody ever was a member of it.
              }
            });
    return described.values().stream()
        .flatMap(
            group ->
                group.members().stream()
                    .map(
                        member ->
                            "%s of group %s on %s"
                                .formatted(member.clientId(), group.groupId(), member.host())))
        .sorted()
        .toList();
  }

  /**
   * Has the groups go on there.
   *
   * @throws KafkaException if somebody is a member of one of them
   */
  void rewind(List<Position> to) {
    Map<String, Map<TopicPartition, OffsetAndMetadata>> byGroup = new TreeMap<>();
    for (Position one : to) {
      byGroup
          .computeIfAbsent(one.group(), group -> new LinkedHashMap<>())
          .put(
              new TopicPartition(one.topic(), one.partition()),
              new OffsetAndMetadata(one.offset()));
    }
    byGroup.forEach(
        (group, offsets) -> await(admin.alterConsumerGroupOffsets(group, offsets).all()));
  }

  private static <T> T await(KafkaFuture<T> answer) {
    try {
      return answer.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException known
          ? known
          : new KafkaException(e.getCause());
    } catch (TimeoutException e) {
      throw new KafkaException("Kafka does not answer", e);
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    }
  }

  @Override
  public void close() {
    admin.close(Duration.ofSeconds(1));
  }
}
