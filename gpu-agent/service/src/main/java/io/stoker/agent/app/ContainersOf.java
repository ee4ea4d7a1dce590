package io.stoker.agent.app;

import io.stoker.agent.config.RunnersConfig;
import io.stoker.agent.container.ContainerSettings;
import io.stoker.agent.container.ContainerSettings.GpuOption;
import io.stoker.common.size.ByteSize;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** Containers, as configured. */
final class ContainersOf {
  private static final String KEY = "stoker.agent.runners.container.";
  private static final List<String> ENGINES = List.of("docker", "podman", "nerdctl");
  private static final String OF_THE_IMAGE = "image";

  private ContainersOf() {}

  /**
   * The settings.
   *
   * @param data whose owner containers run as, where nobody else is named
   * @param path where an engine is looked for; without one the first is named when a job fails
   * @throws IllegalArgumentException naming the key that is wrong
   */
  static ContainerSettings config(RunnersConfig.Container config, Path data, String path) {
    String cli = config.cli().orElseGet(() -> found(path).orElse(ENGINES.getFirst()));
    try {
      return new ContainerSettings(
          cli,
          config.slots(),
          gpus(config.gpus(), cli),
          config.pull(),
          user(config.user(), data),
          OptionalLong.of(ByteSize.parse(config.shmSize())),
          config.cpusPerSlot(),
          config.mounts().orElse(List.of()).stream().map(ContainersOf::mount).toList(),
          config.arguments().orElse(List.of()));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(KEY + e.getMessage(), e);
    }
  }

  private static Path mount(String folder) {
    Path path = Path.of(folder.strip()).normalize();
    if (!path.isAbsolute()) {
      throw new IllegalArgumentException("mounts: " + folder + ", expected absolute paths");
    }
    return path;
  }

  private static Optional<String> found(String path) {
    return ENGINES.stream()
        .filter(
            engine ->
                Stream.of(path.split(File.pathSeparator))
                    .anyMatch(folder -> Files.isExecutable(Path.of(folder, engine))))
        .findFirst();
  }

  private static GpuOption gpus(String configured, String cli) {
    return switch (configured) {
      case "gpus" -> GpuOption.GPUS;
      case "cdi" -> GpuOption.CDI;
      case "auto" ->
          Path.of(cli).getFileName().toString().contains("podman") ? GpuOption.CDI : GpuOption.GPUS;
      default ->
          throw new IllegalArgumentException(
              "gpus: " + configured + ", expected auto, cdi or gpus");
    };
  }

  /** Without another one it is the agent's: so what jobs write can be read and deleted by it. */
  private static Optional<String> user(Optional<String> configured, Path data) {
    if (configured.isPresent()) {
      return configured.filter(user -> !user.equals(OF_THE_IMAGE));
    }
    try {
      Files.createDirectories(data);
      return Optional.of(
          Files.getAttribute(data, "unix:uid") + ":" + Files.getAttribute(data, "unix:gid"));
    } catch (IOException e) {
      throw new UncheckedIOException("the owner of " + data + " is not known", e);
    }
  }
}
