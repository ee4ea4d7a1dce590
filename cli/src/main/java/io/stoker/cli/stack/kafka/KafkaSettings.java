package io.stoker.cli.stack.kafka;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;

/** Settings of the embedded broker: one node on loopback, small, and quick to start. */
public final class KafkaSettings {
  private KafkaSettings() {}

  /**
   * @param folder of the logs
   */
  public static Properties of(Path folder, int port, int controllerPort) {
    Properties settings = new Properties();
    settings.putAll(
        Map.ofEntries(
            entry("process.roles", "broker,controller"),
            entry("node.id", 1),
            entry(
                "listeners",
                "PLAINTEXT://127.0.0.1:%d,CONTROLLER://127.0.0.1:%d"
                    .formatted(port, controllerPort)),
            entry("advertised.listeners", "PLAINTEXT://127.0.0.1:%d".formatted(port)),
            entry("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT"),
            entry("inter.broker.listener.name", "PLAINTEXT"),
            entry("controller.listener.names", "CONTROLLER"),
            entry("controller.quorum.voters", "1@127.0.0.1:%d".formatted(controllerPort)),
            entry("log.dirs", folder),
            entry("auto.create.topics.enable", false),
            // One broker can hold one replica: Kafka's defaults of three would never be met.
            entry("default.replication.factor", 1),
            entry("min.insync.replicas", 1),
            entry("offsets.topic.replication.factor", 1),
            entry("offsets.topic.num.partitions", 4),
            entry("transaction.state.log.replication.factor", 1),
            entry("transaction.state.log.min.isr", 1),
            entry("transaction.state.log.num.partitions", 1),
            entry("share.coordinator.state.topic.replication.factor", 1),
            entry("share.coordinator.state.topic.min.isr", 1),
            entry("share.coordinator.state.topic.num.partitions", 1),
            // A lone consumer group member need not wait for others to join.
            entry("group.initial.rebalance.delay.ms", 0),
            // Replicas ask for session time-outs below the default lower bound of 6 s in tests.
            entry("group.min.session.timeout.ms", 1000),
            // The cleaner takes its buffer from the heap at once; the default is 128 MiB.
            entry("log.cleaner.dedupe.buffer.size", 16 << 20),
            entry("log.segment.bytes", 256 << 20),
            entry("num.network.threads", 2),
            entry("num.io.threads", 4),
            entry("num.recovery.threads.per.data.dir", 2)));
    return settings;
  }

  /** Writes settings in the form that {@link KafkaNode} reads. */
  public static void write(Properties settings, Path file) throws IOException {
    try (Writer out = Files.newBufferedWriter(file)) {
      settings.store(out, null);
    }
  }

  private static Map.Entry<String, String> entry(String key, Object value) {
    return Map.entry(key, value.toString());
  }
}
