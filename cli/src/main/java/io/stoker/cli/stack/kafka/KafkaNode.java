package io.stoker.cli.stack.kafka;

import io.stoker.cli.stack.service.JavaProgram;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
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
 * properties file and the cluster's id; an empty log folder is formatted first. With {@code
 * rehearse} alone it is a {@link KafkaRehearsal}.
 */
public final class KafkaNode {
  private KafkaNode() {}

  public static void main(String[] arguments) throws Exception {
    Locale.setDefault(Locale.ROOT); // others have digits of their own
    quietLogging();
    if (arguments[0].equals(JavaProgram.REHEARSE)) {
      KafkaRehearsal.run();
      return;
    }
    KafkaRaftServer server = start(load(Path.of(arguments[0])), arguments[1]);
    Runtime.getRuntime().addShutdownHook(new Thread(server::shutdown, "stop-kafka"));
    server.awaitShutdown();
  }

  static KafkaRaftServer start(Properties settings, String clusterId) throws Exception {
    format(settings, clusterId, firstUsers(settings));
    KafkaRaftServer server =
        new KafkaRaftServer(KafkaConfig.fromProps(settings, false), Time.SYSTEM);
    server.startup();
    return server;
  }

  private static Properties load(Path file) throws IOException {
    Properties settings = new Properties();
    try (InputStream in = Files.newInputStream(file)) {
      settings.load(in);
    }
    return settings;
  }

  /** As Kafka's own tool takes them, a line each. */
  private static List<String> firstUsers(Properties settings) {
    String users = (String) settings.remove(SecureKafka.FIRST_USERS);
    return users == null ? List.of() : users.lines().toList();
  }

  private static void format(Properties settings, String clusterId, List<String> users)
      throws Exception {
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
        .setScramArguments(users)
        .run();
  }

  private static void quietLogging() {
    System.setProperty(
        "java.util.logging.SimpleFormatter.format", "%1$tFT%1$tT.%1$tL %4$s %3$s %5$s%6$s%n");
    Logger.getLogger("").setLevel(Level.WARNING);
    Logger.getLogger("kafka.server.KafkaRaftServer").setLevel(Level.INFO);
  }
}
