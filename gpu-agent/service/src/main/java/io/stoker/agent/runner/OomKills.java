package io.stoker.agent.runner;

import io.stoker.agent.attempt.RunEnd;
import io.stoker.common.state.FailureCategory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * Counts kills of the kernel for want of memory: in the agent's own memory cgroup, which its jobs
 * share, of version 2 or 1; where there is none, on the whole machine. A process that SIGKILL
 * ended, and not the agent, while this count rose has been out of memory.
 *
 * <p>Touched by the runner's thread alone.
 */
final class OomKills {
  private static final String FIELD = "oom_kill ";
  private static final int KILLED = 128 + 9;

  /** So old a count serves as what was before a run: many short ones need not read it each. */
  private static final long FRESH_NS = 1_000_000_000L;

  private final Optional<Path> file;
  private final LongSupplier nanos;
  private long last;
  private long readAt;

  private OomKills(Optional<Path> file, LongSupplier nanos) {
    this.file = file;
    this.nanos = nanos;
    this.readAt = nanos.getAsLong(); // before the count, which is no older than that
    this.last = read().orElse(0);
  }

  /** Of this process. */
  static OomKills ofThisHost() {
    return in(Path.of("/"), System::nanoTime);
  }

  /**
   * Of the process whose {@code /proc} and {@code /sys} are there.
   *
   * @param nanos a clock
   */
  static OomKills in(Path root, LongSupplier nanos) {
    return new OomKills(
        candidates(root).filter(path -> count(path).isPresent()).findFirst(), nanos);
  }

  private static Stream<Path> candidates(Path root) {
    Path cgroups = root.resolve("sys/fs/cgroup");
    Stream<Path> own =
        lines(root.resolve("proc/self/cgroup")).stream()
            .map(line -> line.split(":", 3))
            .filter(parts -> parts.length == 3)
            .flatMap(parts -> events(cgroups, parts[1], parts[2].substring(1)));
    return Stream.concat(own, Stream.of(root.resolve("proc/vmstat")));
  }

  /**
   * @param controllers of version 1, separated by commas; empty for version 2
   */
  private static Stream<Path> events(Path cgroups, String controllers, String group) {
    if (controllers.isEmpty()) {
      return Stream.of(
          cgroups.resolve(group).resolve("memory.events"),
          cgroups.resolve("unified").resolve(group).resolve("memory.events"));
    }
    return List.of(controllers.split(",")).contains("memory")
        ? Stream.of(cgroups.resolve("memory").resolve(group).resolve("memory.oom_control"))
        : Stream.empty();
  }

  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file, StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return List.of();
    }
  }

  private static OptionalLong count(Path file) {
    return lines(file).stream()
        .filter(line -> line.startsWith(FIELD))
        .mapToLong(line -> Long.parseLong(line.substring(FIELD.length()).strip()))
        .findFirst();
  }

  private OptionalLong read() {
    return file.map(OomKills::count).orElse(OptionalLong.empty());
  }

  /** The count as it is before a run, or was a moment ago. */
  long before() {
    long now = nanos.getAsLong();
    if (now - readAt > FRESH_NS) {
      readAt = now;
      last = read().orElse(last);
    }
    return last;
  }

  /**
   * The same end, with what explains it if it was a kill for want of memory.
   *
   * @param before what {@link #before} said when the run began
   */
  RunEnd explained(RunEnd end, long before) {
    if (!end.exitCode().equals(OptionalInt.of(KILLED)) || end.category().isPresent()) {
      return end;
    }
    long now = read().orElse(before);
    return now <= before
        ? end
        : end.because(
            FailureCategory.HOST_OOM,
            "the kernel has killed for want of memory, %d time(s) since the job began"
                .formatted(now - before));
  }
}
