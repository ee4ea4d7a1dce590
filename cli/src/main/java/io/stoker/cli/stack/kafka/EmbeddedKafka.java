package io.stoker.cli.stack.kafka;

import io.stoker.cli.local.DataFolder;
import io.stoker.cli.local.Role;
import io.stoker.cli.stack.child.ChildSpec;
import io.stoker.cli.stack.child.JavaCommand;
import io.stoker.cli.stack.service.StartCache;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
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
        JavaCommand.ofOwnClassPath(
            flags(cache, secure.isPresent()),
            KafkaNode.class,
            List.of(settings.toString(), clusterId)),
        Map.of(),
        workFolder,
        data.log(NAME),
        Duration.ofSeconds(20));
  }

  private static List<String> flags(Path cache, boolean encrypts) throws IOException {
    List<String> flags = new ArrayList<>();
    flags.addAll(
        List.of(
            "-Xms96m",
            "-Xmx" + MEMORY,
            "-XX:MaxDirectMemorySize=" + MEMORY,
            // It mostly waits for the disk and the network: in its first 60,000 jobs the second
            // compiler took a third of its CPU and gave nothing back. But only the second one
            // encrypts by the processor's instructions.
            "-XX:TieredStopAtLevel=" + (encrypts ? 4 : 1),
            "-Xlog:cds=off"));
    List<Path> classPath = JavaCommand.ownClassPath();
    // A third of the work of a start is loading classes. The first broker that stops in good order
    // leaves an archive of them to all later ones of this build; there is none of folders.
    if (classPath.stream().allMatch(Files::isRegularFile)) {
      Path archive =
          new StartCache(new StartCache.Place(cache, NAME), classPath, List.of()).archive();
      flags.addAll(List.of("-XX:+AutoCreateSharedArchive", "-XX:SharedArchiveFile=" + archive));
    }
    return flags;
  }
}
