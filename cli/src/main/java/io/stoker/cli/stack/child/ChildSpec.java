package io.stoker.cli.stack.child;

import io.stoker.cli.local.Role;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * How to run one child.
 *
 * @param environment added to this process's own
 * @param stopSignal by which it is asked to end, e.g. {@code TERM}
 * @param grace how long it may take to end before it is killed; whole seconds, at least one
 * @param preparation done before each start
 */
public record ChildSpec(
    String name,
    Role role,
    List<String> command,
    Map<String, String> environment,
    Path workFolder,
    Path log,
    String stopSignal,
    Duration grace,
    Preparation preparation) {

  /** What a start needs to find done. */
  @FunctionalInterface
  public interface Preparation {
    Preparation NONE = () -> {};

    void run() throws IOException;
  }

  public ChildSpec {
    command = List.copyOf(command);
    environment = Map.copyOf(environment);
    if (grace.toSeconds() < 1) {
      throw new IllegalArgumentException("grace of %s is %s, at least 1 s".formatted(name, grace));
    }
  }

  /** A child that ends on SIGTERM and needs no preparation. */
  public static ChildSpec of(
      String name,
      Role role,
      List<String> command,
      Map<String, String> environment,
      Path workFolder,
      Path log,
      Duration grace) {
    return new ChildSpec(
        name, role, command, environment, workFolder, log, "TERM", grace, Preparation.NONE);
  }
}
