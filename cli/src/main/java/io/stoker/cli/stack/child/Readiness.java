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

  /** A child that serves this late says so, and each time that as much has passed again. */
  private static final Duration SAY_EVERY = Duration.ofSeconds(30);

  /** So many deaths before it ever served mean that it never will. */
  private static final int FATAL_DEATHS = 3;

  private Readiness() {}

  /**
   * Waits; who takes long says what stands in the way.
   *
   * @throws IOException if it does not serve within {@code atMost}, dies again and again, or does
   *     not take its settings; the message has the last lines of its log
   */
  public static void await(Child child, Probe probe, Duration atMost)
      throws IOException, InterruptedException {
    await(child, probe, atMost, SAY_EVERY);
  }

  static void await(Child child, Probe probe, Duration atMost, Duration sayEvery)
      throws IOException, InterruptedException {
    long began = System.nanoTime();
    Duration sayAt = sayEvery;
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
      if (child.misconfigured()) {
        throw new IOException(
            "%s does not take its settings%s"
                .formatted(child.name(), LogTail.of(child.spec().log())));
      }
      if (child.deaths() - deathsBefore >= FATAL_DEATHS) {
        throw new IOException(
            "%s died %d times before it served%s"
                .formatted(child.name(), FATAL_DEATHS, LogTail.of(child.spec().log())));
      }
      Duration waited = Duration.ofNanos(System.nanoTime() - began);
      if (waited.compareTo(atMost) > 0) {
        throw new IOException(
            "%s did not serve within %s (%s)%s"
                .formatted(child.name(), atMost, refusal, LogTail.of(child.spec().log())),
            refusal);
      }
      if (waited.compareTo(sayAt) >= 0) {
        child.say("does not serve yet after %d s: %s".formatted(waited.toSeconds(), refusal));
        sayAt = sayAt.plus(sayEvery);
      }
      TimeUnit.NANOSECONDS.sleep(PAUSE.toNanos());
    }
  }
}
