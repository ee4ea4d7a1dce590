package io.stoker.agent.runner;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Finds the processes of runs by the marker variable in its environment, wherever its session and
 * parent went. A variable that a process removes from a child's environment hides that child; its
 * session may still tell. The first process of a run may be missed: it is looked at once, maybe
 * before it became the job; callers know its pid.
 *
 * <p>Not for two threads at once.
 */
public final class ProcessScan {
  /** Pids are given out in turn: within this time, in ns, none comes round again. */
  private static final long REUSE_SAFE = 1_000_000_000L;

  private static final int TRIES = 4;

  private final byte[] prefix;
  private Set<Long> foreign = new HashSet<>();
  private long scannedAt;

  /**
   * @param owner the part of the marker's value that all runs of this agent share
   */
  public ProcessScan(String owner) {
    this.prefix = (JobEnvironment.MARKER + "=" + owner + "/").getBytes(StandardCharsets.ISO_8859_1);
  }

  /** Pids by the rest of the marker, which is the run's name. */
  public Map<String, Set<Long>> scan() {
    Map<String, Set<Long>> found = new HashMap<>();
    boolean sure = false;
    for (int i = 0; i < TRIES && !sure; i++) {
      found.clear();
      sure = scanOnce(found);
    }
    return found;
  }

  /** The children of a process, those that have ended and are still known included. */
  static Map<Long, ProcStat> children(long parent) {
    Map<Long, ProcStat> found = new HashMap<>();
    for (long pid : pids()) {
      OwnProcess.stat(pid)
          .filter(stat -> stat.parent() == parent)
          .ifPresent(stat -> found.put(pid, stat));
    }
    return found;
  }

  /** The pids in a session. */
  static Set<Long> inSession(long session) {
    Set<Long> found = new HashSet<>();
    for (long pid : pids()) {
      OwnProcess.stat(pid)
          .filter(stat -> stat.session() == session && stat.state() != 'Z')
          .ifPresent(stat -> found.add(pid));
    }
    return found;
  }

  /** False if a process went away under the eyes: it may have left a child that was not seen. */
  private boolean scanOnce(Map<String, Set<Long>> found) {
    long now = System.nanoTime();
    Set<Long> before = now - scannedAt < REUSE_SAFE ? foreign : Set.of();
    Set<Long> seen = new HashSet<>();
    boolean sure = true;
    for (long pid : pids()) {
      if (before.contains(pid)) {
        seen.add(pid);
        continue;
      }
      try (FileInputStream in = new FileInputStream("/proc/" + pid + "/environ")) {
        String run = run(in.readAllBytes());
        if (run == null) {
          seen.add(pid);
        } else {
          found.computeIfAbsent(run, r -> new HashSet<>()).add(pid);
        }
      } catch (IOException e) {
        if (new File("/proc/" + pid).exists()) {
          seen.add(pid); // another user's
        } else {
          sure = false;
        }
      }
    }
    foreign = seen;
    scannedAt = now;
    return sure;
  }

  private static List<Long> pids() {
    String[] names = new File("/proc").list();
    List<Long> pids = new ArrayList<>();
    if (names == null) {
      return pids;
    }
    for (String name : names) {
      pid(name).ifPresent(pids::add);
    }
    return pids;
  }

  private static OptionalLong pid(String name) {
    long pid = 0;
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (c < '0' || c > '9') {
        return OptionalLong.empty();
      }
      pid = pid * 10 + (c - '0');
    }
    return OptionalLong.of(pid);
  }

  private String run(byte[] environ) {
    int start = 0;
    while (start < environ.length) {
      int end = start;
      while (end < environ.length && environ[end] != 0) {
        end++;
      }
      if (startsWith(environ, start, end)) {
        int from = start + prefix.length;
        return new String(environ, from, end - from, StandardCharsets.ISO_8859_1);
      }
      start = end + 1;
    }
    return null;
  }

  private boolean startsWith(byte[] environ, int start, int end) {
    if (end - start < prefix.length) {
      return false;
    }
    for (int i = 0; i < prefix.length; i++) {
      if (environ[start + i] != prefix[i]) {
        return false;
      }
    }
    return true;
  }
}
