package io.stoker.cli.doctor;

import io.stoker.common.topic.Topics;
import io.stoker.common.topic.Topics.Layout;
import io.stoker.kafka.KafkaAccess;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;

/** Brokers and topics. */
record KafkaCheck(KafkaAccess kafka, Topics topics) {
  private static final String BROKERS = "Kafka";
  private static final String TOPICS = "topics";
  private static final int PATIENCE_MILLIS = 15_000;

  private static final Map<String, Object> SETTINGS =
      Map.of(
          AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, PATIENCE_MILLIS,
          AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, PATIENCE_MILLIS);

  List<Finding> run() throws InterruptedException {
    List<Finding> findings = new ArrayList<>();
    kafka
        .warning()
        .ifPresent(open -> findings.add(Finding.warn(BROKERS, open, "chmod 600 that file")));
    Optional<String> mismatch = kafka.mismatch();
    if (mismatch.isPresent()) {
      findings.add(misfit(mismatch.get()));
      return findings;
    }
    try (Admin admin = kafka.admin(SETTINGS)) {
      Collection<Node> nodes = admin.describeCluster().nodes().get();
      findings.add(brokers(nodes));
      findings.addAll(topics(admin));
    } catch (ExecutionException | KafkaException e) {
      findings.add(
          kafka
              .refused(e)
              .map(this::misfit)
              .orElseGet(
                  () ->
                      Finding.fail(
                          BROKERS,
                          "%s does not answer: %s".formatted(kafka, kafka.trouble(e)),
                          "is it running, is STOKER_BOOTSTRAP right, is a firewall in between?")));
    }
    return findings;
  }

  private Finding misfit(String why) {
    return Finding.fail(
        BROKERS,
        why,
        "the settings here are %s: see STOKER_KAFKA_CONFIG and the file it names, and docs/security.md"
            .formatted(kafka.security()));
  }

  /** Clients go on to the addresses that brokers give for themselves: those must work, too. */
  private Finding brokers(Collection<Node> nodes) {
    List<String> unreachable = nodes.stream().filter(node -> !open(node)).map(this::name).toList();
    return unreachable.isEmpty()
        ? Finding.ok(
            BROKERS, "%d broker(s) behind %s (%s)".formatted(nodes.size(), kafka, kafka.security()))
        : Finding.fail(
            BROKERS,
            "%s answers, and names brokers that cannot be reached: %s"
                .formatted(kafka, String.join(", ", unreachable)),
            "set the brokers' advertised.listeners to what this machine can reach");
  }

  private String name(Node node) {
    return node.host() + ":" + node.port();
  }

  private static boolean open(Node node) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(node.host(), node.port()), PATIENCE_MILLIS);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private List<Finding> topics(Admin admin) throws ExecutionException, InterruptedException {
    Collection<String> there = admin.listTopics().names().get();
    List<Layout> wanted = topics.layoutsAmong(there);
    List<String> missing =
        wanted.stream().map(Layout::name).filter(name -> !there.contains(name)).toList();
    if (!missing.isEmpty()) {
      return List.of(
          Finding.fail(
              TOPICS, "missing: " + String.join(", ", missing), "make them: stoker topics create"));
    }
    Map<String, TopicDescription> found =
        admin.describeTopics(wanted.stream().map(Layout::name).toList()).allTopicNames().get();
    Map<String, Integer> partitions = new TreeMap<>();
    found.forEach((name, topic) -> partitions.put(name, topic.partitions().size()));
    List<ConfigResource> asked =
        wanted.stream()
            .map(topic -> new ConfigResource(ConfigResource.Type.TOPIC, topic.name()))
            .toList();
    Map<ConfigResource, Config> configs = admin.describeConfigs(asked).all().get();
    return Stream.concat(
            Stream.of(layout(wanted, partitions, of(TopicConfig.CLEANUP_POLICY_CONFIG, configs))),
            zipped(wanted, of(TopicConfig.COMPRESSION_TYPE_CONFIG, configs)).stream())
        .toList();
  }

  /** A setting by topic. */
  private static Map<String, String> of(String setting, Map<ConfigResource, Config> configs) {
    Map<String, String> found = new TreeMap<>();
    configs.forEach((topic, config) -> found.put(topic.name(), config.get(setting).value()));
    return found;
  }

  /**
   * Tells of topics of earlier builds, which take records of any size as long as they are zipped.
   */
  static Optional<Finding> zipped(List<Layout> wanted, Map<String, String> compressions) {
    String setting = TopicConfig.COMPRESSION_TYPE_CONFIG;
    List<String> wrong =
        wanted.stream()
            .filter(topic -> topic.settings().containsKey(setting))
            .filter(topic -> !topic.settings().get(setting).equals(compressions.get(topic.name())))
            .map(Layout::name)
            .toList();
    return wrong.isEmpty()
        ? Optional.empty()
        : Optional.of(
            Finding.warn(
                TOPICS,
                "take zipped records, however large they are unzipped: " + String.join(", ", wrong),
                "change them: stoker topics create"));
  }

  /**
   * Whether topics are as they have to be: heartbeats in one order, statuses and heartbeats
   * compacted.
   */
  static Finding layout(
      List<Layout> wanted, Map<String, Integer> partitions, Map<String, String> policies) {
    List<String> wrong = new ArrayList<>();
    for (Layout topic : wanted) {
      int have = partitions.get(topic.name());
      if (topic.partitions() == 1 && have != 1) {
        wrong.add("%s has %d partitions, expected 1".formatted(topic.name(), have));
      }
      String policy = topic.settings().getOrDefault(TopicConfig.CLEANUP_POLICY_CONFIG, "delete");
      if (!policy.equals(policies.get(topic.name()))) {
        wrong.add(
            "%s is kept by %s, expected %s"
                .formatted(topic.name(), policies.get(topic.name()), policy));
      }
    }
    return wrong.isEmpty()
        ? Finding.ok(TOPICS, "all %d are there".formatted(wanted.size()))
        : Finding.fail(
            TOPICS,
            String.join("; ", wrong),
            "change them with Kafka's own tools, or delete them and run stoker topics create");
  }
}
