package io.stoker.cli.local;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntPredicate;
import java.util.random.RandomGenerator;

/**
 * Chooses ports on the loopback interface, once per data folder, and keeps to them.
 *
 * <p>They lie below the range from which the kernel takes ports for outgoing connections: while a
 * server is down, a client that keeps trying to reach it there could otherwise be given the
 * server's own port, connect to itself, and keep the server from ever listening again.
 */
public final class FreePorts {
  private static final int LOWEST = 10_000;
  private static final int COMMON_EPHEMERAL_START = 32_768;
  private static final int TRIES = 10_000;
  private static final Path KERNEL_RANGE = Path.of("/proc/sys/net/ipv4/ip_local_port_range");

  /** By this process: a stack that starts, or is down for a while, does not listen on its own. */
  private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

  private final RandomGenerator random;
  private final int end;
  private final IntPredicate isFree;
  private final Set<Integer> given;

  /**
   * @param end ports are below it
   */
  FreePorts(RandomGenerator random, int end, IntPredicate isFree, Set<Integer> given) {
    this.random = random;
    this.end = end;
    this.isFree = isFree;
    this.given = given;
  }

  public static FreePorts onThisMachine() {
    return new FreePorts(
        RandomGenerator.getDefault(), endOf(kernelRange()), FreePorts::isFreeNow, GIVEN);
  }

  /** One for a server that is started later; never given twice by this process. */
  public static int one() {
    return onThisMachine().fresh(new HashSet<>());
  }

  /**
   * A port for each name: the remembered one unless somebody else listens there now, else a new
   * one. Remembered ports of other names stay theirs.
   */
  public Map<String, Integer> choose(Map<String, Integer> remembered, List<String> names) {
    Map<String, Integer> chosen = new LinkedHashMap<>(remembered);
    Set<Integer> taken = new HashSet<>(remembered.values());
    for (String name : names) {
      Integer before = remembered.get(name);
      if (before == null || !isFree.test(before)) {
        chosen.put(name, fresh(taken));
      }
    }
    return chosen;
  }

  private int fresh(Set<Integer> taken) {
    for (int i = 0; i < TRIES; i++) {
      int port = random.nextInt(LOWEST, end);
      if (!taken.contains(port) && isFree.test(port) && given.add(port)) {
        taken.add(port);
        return port;
      }
    }
    throw new IllegalStateException(
        "no free port between %d and %d on the loopback interface".formatted(LOWEST, end - 1));
  }

  static int endOf(String kernelRange) {
    String first = kernelRange.strip().split("\\s+")[0];
    int start = first.isEmpty() ? COMMON_EPHEMERAL_START : Integer.parseInt(first);
    // A kernel set to use nearly all ports leaves no safe range: the common one is as good as any.
    return start < LOWEST + 1_000 ? COMMON_EPHEMERAL_START : start;
  }

  private static String kernelRange() {
    try {
      return Files.readString(KERNEL_RANGE);
    } catch (IOException notLinux) {
      return "";
    }
  }

  private static boolean isFreeNow(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      // Connections of an earlier run that linger in TIME_WAIT do not stop a server either.
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress("127.0.0.1", port));
      return true;
    } catch (IOException inUse) {
      return false;
    }
  }
}
