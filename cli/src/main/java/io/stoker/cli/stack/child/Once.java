package io.stoker.cli.stack.child;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Runs a command of a stack that ends by itself: it outlives neither this process nor its wait. */
public final class Once {
  private static final Duration GRACE = Duration.ofSeconds(5);

  private Once() {}

  /**
   * Runs it to its end.
   *
   * @param environment its own, over the {@link StackEnvironment}
   * @param log of what it says, in place of what an earlier one said
   * @return its exit code
   * @throws InterruptedException if interrupted; it has been ended then
   */
  public static int run(List<String> command, Map<String, String> environment, Path log)
      throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(Guard.around(command, "TERM", GRACE))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    StackEnvironment.give(builder.environment(), environment);
    Process process = builder.start();
    try {
      return process.waitFor();
    } finally {
      process.getOutputStream().close(); // its guard ends it
      process.waitFor();
    }
  }
}
