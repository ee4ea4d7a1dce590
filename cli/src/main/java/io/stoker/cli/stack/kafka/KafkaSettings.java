package io.stoker.cli.stack.kafka;

import io.stoker.cli.local.PrivateFile;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Settings of the embedded broker: one node on loopback, small, and quick to start. */
public final class KafkaSettings {
  /** The listener that the stack itself uses. */
  static final String CLIENTS = "CLIENTS";

  private KafkaSettings() {}

  /**
   * Where clients may come in.
   *
   * @param name letters, digits and {@code _}
   * @param port on loopback, where it listens
   * @param advertised {@code host:port} that clients are told to connect to
   */
  public record Listener(String name, int port, String advertised) {}

  /**
   * @param folder of the logs
   * @param others listeners beside the one on {@code port}
   */
  public static Properties of(Path folder, int port, int controllerPort, List<Listener> others) {
    List<Listener> listeners = new ArrayList<>();
    listeners.add(new Listener(CLIENTS, port, "127.0.0.1:" + port));
    listeners.addAll(others);
    Properties settings = new Properties();
    settings.putAll(
        Map.ofEntries(
            entry("process.roles", "broker,controller"),
            entry("node.id", 1),
            entry(
                "listeners",
                joined(listeners, one -> "%s://127.0.0.1:%d".formatted(one.name(), one.port()))
                    + ",CONTROLLER://127.0.0.1:"
                    + controllerPort),
            entry(
                "advertised.listeners",
                joined(listeners, one -> one.name() + "://" + one.advertised())),
            entry(
                "listener.security.protocol.map",
                joined(listeners, one -> one.name() + ":PLAINTEXT") + ",CONTROLLER:PLAINTEXT"),
            entry("inter.broker.listener.name", CLIENTS),
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
            // The only voter need not write twice a second that it is there.
            entry("metadata.max.idle.interval.ms", 0),
            // The cleaner takes its buffer from the heap at once; the default is 128 MiB.
            entry("log.cleaner.dedupe.buffer.size", 16 << 20),
            entry("log.segment.bytes", 256 << 20),
            entry("metric.reporters", ""), // nobody asks it by JMX
            entry("num.network.threads", 2),
            entry("num.io.threads", 4),
            entry("num.recovery.threads.per.data.dir", 2)));
    return settings;
  }

  /** Writes settings in the form that {@link KafkaNode} reads. */
  public static void write(Properties settings, Path file) throws IOException {
    StringWriter text = new StringWriter();
    settings.store(text, null);
    PrivateFile.write(file, text.toString().getBytes(StandardCharsets.UTF_8));
  }

  private static String joined(List<Listener> listeners, Function<Listener, String> text) {
    return listeners.stream().map(text).collect(Collectors.joining(","));
  }

  private static Map.Entry<String, String> entry(String key, Object value) {
    return Map.entry(key, value.toString());
  }
}
