package io.stoker.cli.rest;

import io.stoker.cli.outcome.CliException;
import io.stoker.cli.outcome.ExitCode;
import io.stoker.common.text.PlainText;
import java.time.Clock;
import java.time.LocalTime;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Reads again and again what somebody looks at. Whoever is restarted meanwhile ends no picture:
 * what was read last stays, with a line that says since when.
 */
public final class Watched<T> {
  private final Supplier<T> source;
  private final Clock clock;
  private T last;
  private LocalTime readAt;
  private Optional<String> trouble = Optional.empty();

  /**
   * Reads it for the first time.
   *
   * @throws CliException if that fails
   */
  public Watched(Supplier<T> source) {
    this(source, Clock.systemDefaultZone());
  }

  Watched(Supplier<T> source, Clock clock) {
    this.source = source;
    this.clock = clock;
    read();
  }

  private void read() {
    last = source.get();
    readAt = LocalTime.now(clock).truncatedTo(ChronoUnit.SECONDS);
    trouble = Optional.empty();
  }

  /**
   * Reads it again, if somebody answers.
   *
   * @throws CliException if what is answered is no picture, or this thread was told to end
   */
  public void again() {
    try {
      read();
    } catch (CliException e) {
      if (e.exitCode() != ExitCode.UNREACHABLE || Thread.currentThread().isInterrupted()) {
        throw e;
      }
      trouble = Optional.of(PlainText.sentence("as of " + readAt + ": " + e.getMessage()));
    }
  }

  /**
   * The same.
   *
   * @param told why nobody answers, once until somebody does
   */
  public void again(Consumer<String> told) {
    boolean said = trouble.isPresent();
    again();
    if (!said) {
      trouble.ifPresent(told);
    }
  }

  /** What was read last. */
  public T last() {
    return last;
  }

  /** Why it is old, in one sentence, if it is. */
  public Optional<String> trouble() {
    return trouble;
  }
}
