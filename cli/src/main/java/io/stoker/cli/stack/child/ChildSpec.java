package io.stoker.cli.stack.child;

import io.stoker.cli.local.Role;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Says how to run one child.
 *
 * @param environment its own, over the {@link StackEnvironment}
 * @param preparation done before each start
 */
public record ChildSpec(
    String name,
    Role role,
    List<String> command,
    Map<String, String> environment,
    Path workFolder,
    Path log,
    Stop stop,
    Preparation preparation) {
  /**
   * How it is ended.
   *
   * @param signal by which it is asked to end, e.g. {@code TERM}
   * @param grace how long it may take to end before it is killed; whole seconds, at least one
   */
  public record Stop(String signal, Duration grace) {}

  /** What a start needs to find done. */
  @FunctionalInterface
  public interface Preparation {
    Preparation NONE = () -> {};

    void run() throws IOException;
  }

  public ChildSpec {
    command = List.copyOf(command);
    environment = Map.copyOf(environment);
    if (stop.grace.toSeconds() < 1) {
      throw new IllegalArgumentException(
          "grace of %s is %s, at least 1 s".formatted(name, stop.grace));
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
    Stop stop = new Stop("TERM", grace);
    return new ChildSpec(name, role, command, environment, workFolder, log, stop, Preparation.NONE);
  }
}
