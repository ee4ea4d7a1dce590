package io.stoker.agent.spawn;

import io.stoker.agent.attempt.Now;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * CLOCK_BOOTTIME, which the watchdog sees too: it counts while the machine sleeps, and starts at 0
 * with each boot. To 10 ms.
 */
public final class BootClock {
  private static final int MS_PER_HUNDREDTH = 10;

  private final FileChannel uptime;
  private final String bootId;

  public BootClock() throws IOException {
    uptime = FileChannel.open(Path.of("/proc/uptime"), StandardOpenOption.READ);
    bootId = Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip();
  }

  /** Tells this boot of the machine from any other. */
  public String bootId() {
    return bootId;
  }

  /** Both clocks, now. */
  public Now now() {
    return new Now(bootMs(), System.currentTimeMillis());
  }

  /** Ms since the machine was booted. */
  public long bootMs() {
    ByteBuffer text = ByteBuffer.allocate(64);
    try {
      int length = uptime.read(text, 0);
      String seconds = new String(text.array(), 0, length, StandardCharsets.US_ASCII).split(" ")[0];
      return Long.parseLong(seconds.replace(".", "")) * MS_PER_HUNDREDTH;
    } catch (IOException e) {
      throw new UncheckedIOException("/proc/uptime cannot be read", e);
    }
  }
}
