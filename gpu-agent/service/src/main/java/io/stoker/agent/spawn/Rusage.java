package io.stoker.agent.spawn;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The use of a process from its start to its end, with all those of its descendants that it, or
 * they, waited for: the kernel's own account, which misses nothing that is too short to be sampled.
 *
 * @param cpuMicros user and system time
 * @param peakMemory bytes that the largest of them had resident at once; empty if that was less
 *     than the spawner has, which the kernel counts in as the memory that it began with
 */
public record Rusage(long cpuMicros, OptionalLong peakMemory) {
  /** Of a {@code struct rusage}, and where its fields are on 64-bit Linux. */
  static final int SIZE = 144;

  private static final int USER = 0;
  private static final int SYSTEM = 16;
  private static final int PEAK_KIB = 32;
  private static final long MICROS = 1_000_000;
  private static final long KIB = 1024;

  /**
   * Reads what the kernel has filled in.
   *
   * @param spawnerKib peak of the process that started it
   */
  static Rusage of(byte[] usage, long spawnerKib) {
    ByteBuffer fields = fields(usage);
    long peakKib = fields.getLong(PEAK_KIB);
    return new Rusage(
        time(fields, USER) + time(fields, SYSTEM),
        peakKib > spawnerKib ? OptionalLong.of(peakKib * KIB) : OptionalLong.empty());
  }

  /** Peak of this process, KiB. */
  static long ownPeakKib() {
    byte[] usage = new byte[SIZE];
    return Libc.getrusage(Libc.SELF, usage) == 0 ? fields(usage).getLong(PEAK_KIB) : Long.MAX_VALUE;
  }

  private static ByteBuffer fields(byte[] usage) {
    return ByteBuffer.wrap(usage).order(ByteOrder.nativeOrder());
  }

  private static long time(ByteBuffer fields, int at) {
    return fields.getLong(at) * MICROS + fields.getLong(at + Long.BYTES);
  }

  /** As the spawner says it: two words. */
  String words() {
    return cpuMicros + " " + peakMemory.orElse(0);
  }

  /** What {@link #words} said; empty if there is none of it. */
  public static Optional<Rusage> read(String words) {
    String[] parts = words.split(" ");
    if (parts.length != 2) {
      return Optional.empty();
    }
    long peak = Long.parseLong(parts[1]);
    return Optional.of(
        new Rusage(
            Long.parseLong(parts[0]), peak > 0 ? OptionalLong.of(peak) : OptionalLong.empty()));
  }
}
