package io.stoker.cli.local;

import io.stoker.cli.outcome.CliException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * The folder that Stoker was built in or installed to. The launcher names it by the system property
 * {@code stoker.home}; without it (in tests) it is looked for upwards from the working folder.
 */
public record Home(Path root) {
  private static final String PROPERTY = "stoker.home";

  /**
   * @throws CliException if there is none
   */
  public static Home locate() {
    String named = System.getProperty(PROPERTY);
    if (named != null) {
      return new Home(Path.of(named).toAbsolutePath());
    }
    Path start = Path.of("").toAbsolutePath();
    return Stream.iterate(start, path -> path != null, Path::getParent)
        .filter(path -> Files.isRegularFile(path.resolve("stoker")))
        .findFirst()
        .map(Home::new)
        .orElseThrow(
            () ->
                CliException.failed(
                    "no stoker launcher in %s or above: set -D%s".formatted(start, PROPERTY)));
  }

  /** The data folder of the local stack when nobody names another. */
  public Path defaultData() {
    return root.resolve(".stoker");
  }

  /** Where unpacked binaries are shared by all local stacks of this home. */
  public Path cache() {
    String named = System.getProperty("stoker.cache");
    return named == null ? root.resolve("cli/target/cache") : Path.of(named).toAbsolutePath();
  }

  /**
   * The dispatcher's runnable jar.
   *
   * @throws CliException if it was not built
   */
  public Path dispatcherJar() {
    return built("dispatcher");
  }

  /**
   * The agent's runnable jar.
   *
   * @throws CliException if it was not built
   */
  public Path agentJar() {
    return built("gpu-agent");
  }

  /** Source of the library that stands in for NVIDIA's. */
  public Path simulatedDriver() {
    return root.resolve("gpu-agent/service/src/main/native-sim/fake_nvml.c");
  }

  private Path built(String service) {
    Path jar = root.resolve(service).resolve("service/target/quarkus-app/quarkus-run.jar");
    if (!Files.isRegularFile(jar)) {
      throw CliException.failed(
          "%s is not built: %s is missing; run ./mvnw -DskipTests package in %s"
              .formatted(service, jar, root));
    }
    return jar;
  }
}
