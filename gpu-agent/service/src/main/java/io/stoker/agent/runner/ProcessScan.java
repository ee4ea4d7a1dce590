package io.stoker.agent.runner;

import io.stoker.agent.spawn.OwnProcess;
import io.stoker.agent.spawn.ProcStat;
import io.stoker.agent.spawn.RunTag;
import io.stoker.agent.spawn.SpawnerMain;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Supplier;
import org.jboss.logging.Logger;

/**
 * Finds the processes of runs, wherever their sessions and parents went: by their {@link RunTag},
 * which they cannot lose, and by the marker variable in their environment, for those that a spawner
 * of a build before started, and where there are no tags. The first process of a run may be missed:
 * it is looked at once, maybe before it became the job; callers know its pid.
 *
 * <p>Not for two threads at once.
 */
public final class ProcessScan {
  private static final Logger LOG = Logger.getLogger(ProcessScan.class);

  /** Pids are given out in turn: within this time, in ns, none comes round again. */
  private static final long REUSE_SAFE = 1_000_000_000L;

  private static final int TRIES = 4;

  private static final byte[] SPAWNER =
      (SpawnerMain.VARIABLE + "=").getBytes(StandardCharsets.ISO_8859_1);

  private final String owner;
  private final byte[] prefix;
  private final Supplier<List<Long>> pids;
  private Set<Long> foreign = new HashSet<>();
  private long scannedAt;

  /**
   * @param owner the part of the marker's value that all runs of this agent share
   */
  public ProcessScan(String owner) {
    this(owner, ProcessScan::pids);
  }

  /**
   * @param pids all that there are now
   */
  ProcessScan(String owner, Supplier<List<Long>> pids) {
    this.owner = owner;
    this.pids = pids;
    this.prefix = (JobEnvironment.MARKER + "=" + owner + "/").getBytes(StandardCharsets.ISO_8859_1);
  }

  /**
   * The processes of all runs of this agent that are there now; {@linkplain RunProcesses#complete
   * not all} if others went away under the eyes each time that it looked, or this process has no
   * file descriptor to look with.
   */
  public RunProcesses scan() {
    RunProcesses found = scanOnce();
    for (int i = 1; i < TRIES && !found.complete(); i++) {
      found = scanOnce();
    }
    return found;
  }

  /**
   * The processes of a data folder's runs by what they were told of it, whoever started them: an
   * agent of a build before, or one whose mark is lost. Who sees other folders by the same path, as
   * in a container, is left alone.
   */
  Set<Long> ofFolder(Path data, Set<String> butOf) {
    byte[] told =
        (JobEnvironment.RESULT + "=" + data.resolve("runs") + "/").getBytes(StandardCharsets.UTF_8);
    Optional<Path> ours = mounts(ProcessHandle.current().pid());
    Set<Long> found = new HashSet<>();
    for (long pid : pids()) {
      try {
        Optional<String> run = variable(environ(pid), told).map(path -> path.split("/")[0]);
        if (run.isPresent()
            && !butOf.contains(run.get())
            && pid != ProcessHandle.current().pid()
            && ours.isPresent()
            && ours.equals(mounts(pid))) {
          found.add(pid);
        }
      } catch (RunTag.ProcessGone e) {
        // It is none of those that are left.
      }
    }
    return found;
  }

  private static Optional<Path> mounts(long pid) {
    try {
      return Optional.of(Files.readSymbolicLink(Path.of("/proc/" + pid + "/ns/mnt")));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** The children of a process, those that have ended and are still known included. */
  static Map<Long, ProcStat> children(long parent) {
    Map<Long, ProcStat> found = new HashMap<>();
    for (long pid : pids()) {
      OwnProcess.statIfOpen(pid)
          .filter(stat -> stat.parent() == parent)
          .ifPresent(stat -> found.put(pid, stat));
    }
    return found;
  }

  /** The pids in a session. */
  static Set<Long> inSession(long session) {
    Set<Long> found = new HashSet<>();
    for (long pid : pids()) {
      OwnProcess.statIfOpen(pid)
          .filter(stat -> stat.session() == session && stat.state() != 'Z')
          .ifPresent(stat -> found.add(pid));
    }
    return found;
  }

  private RunProcesses scanOnce() {
    RunProcesses found = new RunProcesses(owner);
    long began = System.nanoTime();
    Set<Long> seen = new HashSet<>();
    try {
      List<Long> all = pids.get();
      // By a clock read after the list: each of its numbers is no younger than that.
      Set<Long> before = System.nanoTime() - scannedAt < REUSE_SAFE ? foreign : Set.of();
      for (long pid : all) {
        if (before.contains(pid)) {
          seen.add(pid);
        } else {
          look(pid, found, seen);
        }
      }
    } catch (UncheckedIOException e) {
      LOG.debug("a scan that is not whole", e);
      found.missed();
    }
    foreign = seen;
    scannedAt = began;
    return found;
  }

  private void look(long pid, RunProcesses found, Set<Long> seen) {
    try {
      if (!found(pid, found)) {
        seen.add(pid);
      }
    } catch (RunTag.ProcessGone e) {
      found.missed();
    }
  }

  /** Whether it is a run's. */
  private boolean found(long pid, RunProcesses found) throws RunTag.ProcessGone {
    OptionalLong tag = RunTag.read(pid);
    boolean tagged = tag.isPresent() && RunTag.isOf(tag.getAsLong(), owner);
    if (tagged && OwnProcess.statIfOpen(pid).filter(ProcStat::ended).isPresent()) {
      return false; // it keeps its tag until its parent asks for its exit code
    }
    byte[] environ = environ(pid);
    if (tagged && variable(environ, SPAWNER).isEmpty()) {
      found.tagged(tag.getAsLong(), pid);
      return true;
    }
    Optional<String> run = variable(environ, prefix);
    run.ifPresent(name -> found.marked(name, pid));
    return run.isPresent();
  }

  private static List<Long> pids() {
    String[] names = new File("/proc").list();
    if (names == null) {
      throw new UncheckedIOException(new IOException("/proc cannot be listed"));
    }
    List<Long> pids = new ArrayList<>();
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

  /**
   * Of another user's process there is none.
   *
   * @throws UncheckedIOException if this process can read none, not even its own
   */
  private static byte[] environ(long pid) throws RunTag.ProcessGone {
    File file = new File("/proc/" + pid + "/environ");
    try (FileInputStream in = new FileInputStream(file)) {
      return in.readAllBytes();
    } catch (IOException e) {
      if (!OwnProcess.there(pid)) {
        throw new RunTag.ProcessGone();
      }
      if (file.canRead()) { // else it is another user's, as most are
        OwnProcess.needDescriptor();
      }
      return new byte[0];
    }
  }

  /** What follows the beginning of a variable in an environment. */
  private static Optional<String> variable(byte[] environ, byte[] prefix) {
    int start = 0;
    while (start < environ.length) {
      int end = start;
      while (end < environ.length && environ[end] != 0) {
        end++;
      }
      if (startsWith(environ, start, end, prefix)) {
        int from = start + prefix.length;
        return Optional.of(new String(environ, from, end - from, StandardCharsets.ISO_8859_1));
      }
      start = end + 1;
    }
    return Optional.empty();
  }

  private static boolean startsWith(byte[] environ, int start, int end, byte[] prefix) {
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
