package io.stoker.cli.stack.child;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Puts the guard of {@code guard.sh} around a command. The process that comes of it ends when its
 * standard input does, so whoever starts it must leave that pipe open.
 */
public final class Guard {
  private static final String SCRIPT = script();
  private static final Optional<String> SETSID = onPath("setsid");

  private Guard() {}

  /**
   * The command, guarded, in a session of its own where the system has {@code setsid}: a Ctrl-C at
   * the terminal then reaches the parent alone, which stops its children in order.
   *
   * @param grace whole seconds between {@code stopSignal} and SIGKILL
   */
  public static List<String> around(List<String> command, String stopSignal, Duration grace) {
    List<String> guarded = new ArrayList<>();
    SETSID.ifPresent(guarded::add);
    guarded.addAll(
        List.of("/bin/sh", "-c", SCRIPT, "guard", stopSignal, Long.toString(grace.toSeconds())));
    guarded.addAll(command);
    return guarded;
  }

  /** The path of a program, if PATH leads to one. */
  public static Optional<String> onPath(String program) {
    for (String folder : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator)) {
      Path candidate = Path.of(folder, program);
      if (Files.isExecutable(candidate)) {
        return Optional.of(candidate.toString());
      }
    }
    return Optional.empty();
  }

  private static String script() {
    try (InputStream in = Guard.class.getResourceAsStream("/io/stoker/cli/guard.sh")) {
      // Without its comments, which would fill the screen of whoever lists processes.
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.strip().startsWith("#"))
          .collect(Collectors.joining("\n"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
