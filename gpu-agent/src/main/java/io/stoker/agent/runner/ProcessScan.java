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

  /** Pids that are looked at one by one rather than all of the machine's. */
  private static final int FEW = 200;

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

  /**
   * Whether it can be proved cheaply that nothing of a run is left, whose first process began less
   * than a second ago and is gone: what it forked has a later pid, and pids are given out in turn,
   * so only those given out since are looked at. False says nothing.
   */
  boolean provedGone(String run, long firstPid) {
    long checked = firstPid;
    for (int i = 0; i < TRIES; i++) {
      long last = lastPid();
      if (last < checked || last - checked > FEW) {
        return false;
      }
      if (last == checked) {
        return true; // none was born during the last look
      }
      for (long pid = checked + 1; pid <= last; pid++) {
        if (belongs(pid, run)) {
          return false;
        }
      }
      checked = last;
    }
    return false;
  }

  private boolean belongs(long pid, String run) {
    String environ = "/proc/" + pid + "/environ";
    if (!new File(environ).exists()) {
      return false;
    }
    try (FileInputStream in = new FileInputStream(environ)) {
      return run.equals(run(in.readAllBytes()));
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * The pid given out last, as {@code /proc/loadavg} ends with; 0, which is nobody's, if unknown.
   */
  private static long lastPid() {
    try (FileInputStream in = new FileInputStream("/proc/loadavg")) {
      String text = new String(in.readAllBytes(), StandardCharsets.US_ASCII).strip();
      return Long.parseLong(text.substring(text.lastIndexOf(' ') + 1));
    } catch (IOException e) {
      return 0;
    }
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
