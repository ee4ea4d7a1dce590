package io.stoker.cli.topics;

import static org.apache.kafka.common.acl.AclOperation.CREATE;
import static org.apache.kafka.common.acl.AclOperation.READ;
import static org.apache.kafka.common.acl.AclOperation.WRITE;
import static org.apache.kafka.common.resource.PatternType.LITERAL;
import static org.apache.kafka.common.resource.PatternType.PREFIXED;
import static org.apache.kafka.common.resource.ResourceType.GROUP;
import static org.apache.kafka.common.resource.ResourceType.TOPIC;

import io.stoker.common.topic.Topics;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;

/** The least that each role needs in Kafka: who is none of them needs nothing of Stoker's. */
public record Rights(Topics topics) {
  /** All replicas of the dispatcher, and {@code stoker backup} and {@code restore}. */
  public List<AclBinding> dispatcher(String principal, String group) {
    return Stream.of(
            topic(principal, LITERAL, topics.requests(), READ, WRITE),
            topic(principal, PREFIXED, topics.requests(""), READ, WRITE),
            topic(principal, LITERAL, topics.control(), READ, WRITE),
            topic(principal, LITERAL, topics.events(), READ),
            topic(principal, LITERAL, topics.heartbeats(), READ),
            topic(principal, LITERAL, topics.logs(), READ),
            topic(principal, LITERAL, topics.status(), READ, WRITE),
            topic(principal, PREFIXED, topics.status(""), CREATE, READ, WRITE),
            topic(principal, LITERAL, topics.deadLetters(), WRITE),
            topic(principal, LITERAL, topics.audit(), WRITE),
            topic(principal, PREFIXED, topics.placements(""), CREATE, WRITE),
            of(principal, GROUP, PREFIXED, group, READ))
        .flatMap(List::stream)
        .toList();
  }

  /** The agent of one host: it reads its own placements and nobody else's. */
  public List<AclBinding> host(String principal, String host) {
    return Stream.of(
            topic(principal, LITERAL, topics.placements(host), READ),
            topic(principal, LITERAL, topics.events(), WRITE),
            topic(principal, LITERAL, topics.heartbeats(), WRITE),
            topic(principal, LITERAL, topics.logs(), WRITE),
            topic(principal, LITERAL, topics.deadLetters(), WRITE))
        .flatMap(List::stream)
        .toList();
  }

  /**
   * Who posts to one queue by its own topic, and follows what becomes of it where queues have
   * topics of statuses of their own.
   *
   * @param group whose names start so it may be a member of; without it of none
   */
  public List<AclBinding> queue(String principal, String queue, Optional<String> group) {
    return Stream.of(
            topic(principal, LITERAL, topics.requests(queue), WRITE),
            topic(principal, LITERAL, topics.status(queue), READ),
            member(principal, group))
        .flatMap(List::stream)
        .toList();
  }

  /** Who posts to the topic that leads to every open queue. */
  public List<AclBinding> producer(String principal) {
    return topic(principal, LITERAL, topics.requests(), WRITE);
  }

  /**
   * Who follows what becomes of all requests: statuses, refusals, output.
   *
   * @param group whose names start so it may be a member of; without it of none
   */
  public List<AclBinding> consumer(String principal, Optional<String> group) {
    return Stream.of(
            topic(principal, LITERAL, topics.status(), READ),
            topic(principal, LITERAL, topics.deadLetters(), READ),
            topic(principal, LITERAL, topics.logs(), READ),
            member(principal, group))
        .flatMap(List::stream)
        .toList();
  }

  private static List<AclBinding> member(String principal, Optional<String> group) {
    return group.map(name -> of(principal, GROUP, PREFIXED, name, READ)).orElse(List.of());
  }

  private static List<AclBinding> topic(
      String principal, PatternType pattern, String name, AclOperation... operations) {
    return of(principal, TOPIC, pattern, name, operations);
  }

  private static List<AclBinding> of(
      String principal,
      ResourceType type,
      PatternType pattern,
      String name,
      AclOperation... operations) {
    return Arrays.stream(operations)
        .map(
            operation ->
                new AclBinding(
                    new ResourcePattern(type, name, pattern),
                    new AccessControlEntry(principal, "*", operation, AclPermissionType.ALLOW)))
        .toList();
  }
}
