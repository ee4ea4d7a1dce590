package io.stoker.cli.terminal;

import io.stoker.cli.outcome.ExitCode;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import sun.misc.Signal;

/**
 * Ends a command by Ctrl-C, SIGTERM or SIGHUP: in an orderly way the first time, at once the second
 * time.
 */
public final class Interrupts {
  /** As shells give it to a command that a Ctrl-C ended. */
  public static final int EXIT_CODE = ExitCode.INTERRUPTED;

  /** As shells give it to a command that a Ctrl-Z stopped. */
  public static final int LEFT = 148;

  /**
   * One wish to end may come as two signals: {@code timeout} sends its own to the process and to
   * its group.
   */
  private static final Duration SAME_WISH = Duration.ofMillis(300);

  private Interrupts() {}

  /**
   * What is done before this process leaves something running that goes on without it: on Ctrl-Z,
   * and when its terminal is closed. To be called after {@link #onFirst}, which has taken that for
   * a wish to end.
   */
  public static void onLeaving(Runnable said) {
    for (String name : new String[] {"TSTP", "HUP"}) {
      Signal.handle(
          new Signal(name),
          signal -> {
            said.run();
            Runtime.getRuntime().halt(LEFT);
          });
    }
  }

  /**
   * @param first what is done the first time, on a thread of its own
   */
  public static void onFirst(Runnable first) {
    onFirst(first, System::nanoTime);
  }

  /**
   * @param clock by which it is seen whether two signals are one wish
   */
  static void onFirst(Runnable first, LongSupplier clock) {
    AtomicReference<Long> receivedNanos = new AtomicReference<>();
    for (String name : new String[] {"INT", "TERM", "HUP"}) {
      Signal.handle(
          new Signal(name),
          signal -> {
            long now = clock.getAsLong();
            if (receivedNanos.compareAndSet(null, now)) {
              first.run();
            } else if (now - receivedNanos.get() > SAME_WISH.toNanos()) {
              Runtime.getRuntime().halt(EXIT_CODE);
            }
          });
    }
  }
}
