package io.stoker.agent.secret;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/**
 * Takes a secret from a file. What was changed just now may be half of what is being written there:
 * it is believed once two looks have read the same.
 *
 * @param pause between two looks
 */
record SecretFile(Path file, Pause pause) implements SecretSource {
  /** Between two looks. */
  static final Duration APART = Duration.ofMillis(100);

  /** Nobody writes a file that has not changed for so long. */
  private static final Duration SETTLED = Duration.ofSeconds(1);

  private static final int MOST_LOOKS = 30;

  /** Passes some time. */
  interface Pause {
    void pass() throws InterruptedException;
  }

  @Override
  public String read() throws IOException {
    String seen = look();
    for (int looks = 1; changedJustNow(); looks++) {
      if (looks == MOST_LOOKS) {
        throw new IOException("%s changes all the time".formatted(file));
      }
      pass();
      String again = look();
      if (again.equals(seen)) {
        return again;
      }
      seen = again;
    }
    return seen;
  }

  private String look() throws IOException {
    try {
      if (Files.size(file) > MOST) {
        throw new IOException("%s holds more than %d bytes".formatted(file, MOST));
      }
      return SecretSource.stripped(Files.readString(file, StandardCharsets.UTF_8));
    } catch (NoSuchFileException e) {
      throw new IOException("there is no " + file, e);
    }
  }

  private boolean changedJustNow() throws IOException {
    Instant changed = Files.getLastModifiedTime(file).toInstant();
    return changed.isAfter(Instant.now().minus(SETTLED));
  }

  private void pass() throws IOException {
    try {
      pause.pass();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("the agent ends");
    }
  }
}
