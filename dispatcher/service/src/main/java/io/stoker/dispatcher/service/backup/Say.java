package io.stoker.dispatcher.service.backup;

import java.io.PrintStream;
import java.util.Locale;

/** Tells people how far it is, a line at a time; what takes long is told of again and again. */
final class Say {
  private static final long EVERY_NANOS = 5_000_000_000L;

  private final PrintStream out;
  private long last = System.nanoTime();

  Say(PrintStream out) {
    this.out = out;
  }

  void line(String format, Object... values) {
    last = System.nanoTime();
    out.println(String.format(Locale.ROOT, format, values));
  }

  /** The same, if nothing was said for a while. */
  void nowAndThen(String format, Object... values) {
    if (System.nanoTime() - last > EVERY_NANOS) {
      line(format, values);
    }
  }
}
