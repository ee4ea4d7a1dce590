package io.stoker.agent.spawn;

import com.sun.jna.Native;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.OptionalLong;

/**
 * A number that each process of a run has, whatever becomes of its parent, its session and its
 * environment: its soft limit of file locks, RLIMIT_LOCKS. The kernel hands it down at each fork,
 * keeps it at each exec, and has not used it for anything since 2.4.25. A process may lower or
 * raise it, but none does so by chance. See ADR 0022.
 *
 * <p>The number has 19 digits, and fits in 63 bits: 7 tell whose runs these are, 12 which of them.
 * Both come from names alone, so that whoever knows the names knows the number.
 */
public final class RunTag {
  /** How many runs of one owner can be told apart. */
  private static final long RUNS = 1_000_000_000_000L;

  /** The owner's part is between this and ten times as much: it always has 7 digits. */
  private static final long FIRST_OWNER = 1_000_000L;

  private static final long OWNERS = 8_000_000L;

  /** Of a {@code struct rlimit}: the soft limit, then the hard one. */
  private static final int SIZE = 2 * Long.BYTES;

  private static final String LINE = "Max file locks";

  private RunTag() {}

  /**
   * The number of a run.
   *
   * @param owner what tells one agent's runs from another's
   */
  public static long of(String owner, String run) {
    return ownerOf(owner) * RUNS + Math.floorMod(hash(owner + "/" + run), RUNS);
  }

  /** The first 7 digits of all of an owner's numbers. */
  public static long ownerOf(String owner) {
    return FIRST_OWNER + Math.floorMod(hash(owner), OWNERS);
  }

  /** Whether a number is one of this owner's runs. */
  public static boolean isOf(long tag, String owner) {
    return tag / RUNS == ownerOf(owner);
  }

  private static long hash(String text) {
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      return ByteBuffer.wrap(sha.digest(text.getBytes(StandardCharsets.UTF_8))).getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /** Whether processes that this one starts can have such a number. */
  public static boolean available() {
    byte[] own = new byte[SIZE];
    return Libc.prlimit(0, Libc.LIMIT_OF_LOCKS, null, own) == 0
        && Long.compareUnsigned(number(own, Long.BYTES), Long.MAX_VALUE) >= 0;
  }

  /**
   * The number of a process that this one may end; empty if it has none, is another user's, or is
   * gone.
   *
   * @throws ProcessGone if it is gone
   */
  public static OptionalLong read(long pid) throws ProcessGone {
    byte[] limits = new byte[SIZE];
    if (Libc.prlimit(Math.toIntExact(pid), Libc.LIMIT_OF_LOCKS, null, limits) == 0) {
      return tag(number(limits, 0));
    }
    int error = Native.getLastError();
    if (error == Libc.ESRCH) {
      throw new ProcessGone();
    }
    // Who may not ask for limits by number may still read them, as root without all its rights may.
    return error == Libc.EPERM && Libc.kill(Math.toIntExact(pid), 0) == 0
        ? inWords(pid)
        : OptionalLong.empty();
  }

  /** A process has ended, and its parent knows. */
  public static final class ProcessGone extends Exception {
    private static final long serialVersionUID = 1L;
  }

  private static OptionalLong inWords(long pid) {
    try {
      return Files.readAllLines(Path.of("/proc/" + pid + "/limits")).stream()
          .filter(line -> line.startsWith(LINE))
          .map(line -> line.substring(LINE.length()).strip().split(" ")[0])
          .filter(word -> word.matches("\\d{19}"))
          .mapToLong(Long::parseLong)
          .findFirst();
    } catch (IOException | NumberFormatException e) {
      return OptionalLong.empty();
    }
  }

  private static OptionalLong tag(long number) {
    return number > FIRST_OWNER * RUNS ? OptionalLong.of(number) : OptionalLong.empty();
  }

  private static long number(byte[] limits, int at) {
    return ByteBuffer.wrap(limits).order(ByteOrder.nativeOrder()).getLong(at);
  }

  /** This process's own limit, which whoever it starts begins with. */
  static final class Own {
    private final byte[] before = new byte[SIZE];
    private final boolean known = available();

    Own() {
      Libc.prlimit(0, Libc.LIMIT_OF_LOCKS, null, before);
    }

    /** Who is started until {@link #reset} has this number. */
    void set(long tag) {
      if (known) {
        byte[] with = Arrays.copyOf(before, SIZE);
        ByteBuffer.wrap(with).order(ByteOrder.nativeOrder()).putLong(0, tag);
        Libc.prlimit(0, Libc.LIMIT_OF_LOCKS, with, null);
      }
    }

    void reset() {
      if (known) {
        Libc.prlimit(0, Libc.LIMIT_OF_LOCKS, before, null);
      }
    }
  }
}
