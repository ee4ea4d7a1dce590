package io.stoker.cli.stack.child;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Waits until a child that was just started serves. */
public final class Readiness {
  /** Asks the child once whether it serves; throws what stands in the way. */
  @FunctionalInterface
  public interface Probe {
    void ask() throws Exception;
  }

  private static final Duration PAUSE = Duration.ofMillis(50);

  /** So many deaths before it ever served mean that it never will. */
  private static final int FATAL_DEATHS = 3;

  private Readiness() {}

  /**
   * @throws IOException if it does not serve within {@code atMost}, or dies again and again; the
   *     message has the last lines of its log
   */
  public static void await(Child child, Probe probe, Duration atMost)
      throws IOException, InterruptedException {
    long deadline = System.nanoTime() + atMost.toNanos();
    int deathsBefore = child.deaths();
    while (true) {
      Exception refusal;
      try {
        probe.ask();
        return;
      } catch (InterruptedException e) {
        throw e;
      } catch (Exception e) {
        refusal = e;
      }
      if (child.deaths() - deathsBefore >= FATAL_DEATHS) {
        throw new IOException(
            "%s died %d times before it served%s"
                .formatted(child.name(), FATAL_DEATHS, LogTail.of(child.spec().log())));
      }
      if (System.nanoTime() - deadline > 0) {
        throw new IOException(
            "%s did not serve within %s (%s)%s"
                .formatted(child.name(), atMost, refusal, LogTail.of(child.spec().log())),
            refusal);
      }
      TimeUnit.NANOSECONDS.sleep(PAUSE.toNanos());
    }
  }
}
