package io.stoker.cli.terminal;

import java.util.concurrent.atomic.AtomicInteger;
import sun.misc.Signal;

/**
 * What a command does when it is told to end by Ctrl-C, SIGTERM or SIGHUP: something orderly the
 * first time, and nothing more the second time.
 */
public final class Interrupts {
  /** As shells give it to a command that a Ctrl-C ended. */
  public static final int EXIT_CODE = 130;

  private Interrupts() {}

  /**
   * @param first what is done the first time, on a thread of its own
   */
  public static void onFirst(Runnable first) {
    AtomicInteger received = new AtomicInteger();
    for (String name : new String[] {"INT", "TERM", "HUP"}) {
      Signal.handle(
          new Signal(name),
          signal -> {
            if (received.incrementAndGet() == 1) {
              first.run();
            } else {
              Runtime.getRuntime().halt(EXIT_CODE);
            }
          });
    }
  }
}
