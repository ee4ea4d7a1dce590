package io.stoker.cli.stack.kafka;

import io.stoker.cli.local.DataFolder;
import io.stoker.cli.local.Role;
import io.stoker.cli.stack.child.ChildSpec;
import io.stoker.cli.stack.child.JavaCommand;
import io.stoker.cli.stack.service.JavaProgram;
import io.stoker.cli.stack.service.StartCache;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;

/** The Kafka child: a real broker in a JVM of its own, so that it can be killed for real. */
public final class EmbeddedKafka {
  public static final String NAME = "kafka";

  /** For heap and for network buffers, each. */
  private static final String MEMORY = "512m";

  private EmbeddedKafka() {}

  /**
   * @param others listeners beside the one on {@code port}
   * @param secure what it takes TLS, logins and rights from; without it, it takes anybody
   */
  public static ChildSpec spec(
      DataFolder data,
      Path cache,
      String clusterId,
      int port,
      int controllerPort,
      List<KafkaSettings.Listener> others,
      Optional<SecureKafka> secure)
      throws IOException, InterruptedException {
    Path workFolder = data.workFolder(NAME);
    Path settings = workFolder.resolve("server.properties");
    Properties broker = KafkaSettings.of(data.kafka(), port, controllerPort, others);
    if (secure.isPresent()) {
      secure.get().secure(broker, others);
    }
    KafkaSettings.write(broker, settings);
    return ChildSpec.of(
        NAME,
        Role.KAFKA,
        program(cache, secure.isPresent())
            .command(List.of(), List.of(settings.toString(), clusterId)),
        Map.of(),
        workFolder,
        data.log(NAME),
        Duration.ofSeconds(20));
  }

  /**
   * What runs a broker.
   *
   * @param cache folder for what can be made again
   * @param encrypts whether it takes TLS
   */
  public static JavaProgram program(Path cache, boolean encrypts) throws IOException {
    return new JavaProgram(
        // Their caches differ as their compilers do.
        new StartCache.Place(cache, encrypts ? "secure-" + NAME : NAME),
        KafkaNode.class.getName(),
        jars(),
        List.of(
            "-Xms96m",
            "-Xmx" + MEMORY,
            "-XX:MaxDirectMemorySize=" + MEMORY,
            // It mostly waits for the disk and the network: in its first 60,000 jobs the second
            // compiler took a third of its CPU and gave nothing back. But only the second one
            // encrypts by the processor's instructions.
            "-XX:TieredStopAtLevel=" + (encrypts ? 4 : 1)));
  }

  /** Those of this process. Folders that it has besides are of whoever tests it. */
  private static List<Path> jars() {
    List<Path> all = JavaCommand.ownClassPath();
    Path own =
        Path.of(KafkaNode.class.getProtectionDomain().getCodeSource().getLocation().getPath());
    return Files.isRegularFile(own) ? all.stream().filter(Files::isRegularFile).toList() : all;
  }
}
