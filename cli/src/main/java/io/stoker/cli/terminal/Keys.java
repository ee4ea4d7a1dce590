package io.stoker.cli.terminal;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The keys that are pressed at this process's terminal, each at once and without being shown there.
 * Ctrl-C stays what it is. Without a terminal there are none.
 */
public final class Keys implements AutoCloseable {
  private static final File TERMINAL = new File("/dev/tty");

  private final BlockingQueue<Character> pressed = new LinkedBlockingQueue<>();
  private final Optional<String> before;

  private Keys(Optional<String> before) {
    this.before = before;
  }

  public static Keys open() {
    Optional<String> before = stty("-g").filter(mode -> mode.matches("[0-9a-fA-F:]+"));
    Keys keys = new Keys(before.filter(any -> stty("-icanon", "-echo", "min", "1").isPresent()));
    if (keys.before.isPresent()) {
      Thread reader = new Thread(keys::read, "keys");
      reader.setDaemon(true);
      reader.start();
    }
    return keys;
  }

  /** The next one; empty if none is pressed within that time. */
  public Optional<Character> next(Duration atMost) throws InterruptedException {
    return Optional.ofNullable(pressed.poll(atMost.toMillis(), TimeUnit.MILLISECONDS));
  }

  private void read() {
    try (InputStream in = new FileInputStream(TERMINAL);
        Reader reader = new InputStreamReader(in, StandardCharsets.UTF_8)) {
      for (int key = reader.read(); key >= 0; key = reader.read()) {
        pressed.add((char) key);
      }
    } catch (IOException e) {
      // A terminal that is gone has no keys.
    }
  }

  @Override
  public void close() {
    before.ifPresent(mode -> stty(mode));
  }

  /** What it says; empty if it fails. */
  private static Optional<String> stty(String... arguments) {
    List<String> command = new ArrayList<>(List.of("stty"));
    command.addAll(List.of(arguments));
    try {
      Process stty =
          new ProcessBuilder(command).redirectInput(TERMINAL).redirectErrorStream(true).start();
      String said = new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      return stty.waitFor() == 0 ? Optional.of(said.strip()) : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }
}
