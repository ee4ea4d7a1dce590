package io.stoker.cli.stack.kafka;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Properties;
import java.util.logging.Level;
import java.util.logging.Logger;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;

/**
 * Main class of the Kafka child: one node that is broker and controller. Its arguments are a
 * properties file and the cluster's id; an empty log folder is formatted first.
 */
public final class KafkaNode {
  private KafkaNode() {}

  public static void main(String[] arguments) throws Exception {
    quietLogging();
    Properties settings = load(Path.of(arguments[0]));
    format(settings, arguments[1]);
    KafkaRaftServer server =
        new KafkaRaftServer(KafkaConfig.fromProps(settings, false), Time.SYSTEM);
    Runtime.getRuntime().addShutdownHook(new Thread(server::shutdown, "stop-kafka"));
    server.startup();
    server.awaitShutdown();
  }

  private static Properties load(Path file) throws IOException {
    Properties settings = new Properties();
    try (InputStream in = Files.newInputStream(file)) {
      settings.load(in);
    }
    return settings;
  }

  private static void format(Properties settings, String clusterId) throws Exception {
    String folder = settings.getProperty("log.dirs");
    if (Files.exists(Path.of(folder, "meta.properties"))) {
      return;
    }
    new Formatter()
        .setPrintStream(System.out)
        .setNodeId(Integer.parseInt(settings.getProperty("node.id")))
        .setClusterId(clusterId)
        .addDirectory(folder)
        .setMetadataLogDirectory(Optional.of(folder))
        .setControllerListenerName(settings.getProperty("controller.listener.names"))
        .setIgnoreFormatted(true)
        .run();
  }

  private static void quietLogging() {
    System.setProperty(
        "java.util.logging.SimpleFormatter.format", "%1$tFT%1$tT.%1$tL %4$s %3$s %5$s%6$s%n");
    Logger.getLogger("").setLevel(Level.WARNING);
    Logger.getLogger("kafka.server.KafkaRaftServer").setLevel(Level.INFO);
  }
}
