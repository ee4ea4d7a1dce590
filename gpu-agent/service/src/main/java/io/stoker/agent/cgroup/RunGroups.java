package io.stoker.agent.cgroup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The groups of one agent's runs: each run has one, named as the run, below one that bears the
 * agent's mark. Where there are none to be had everything here does nothing, and runs are
 * supervised without.
 */
public final class RunGroups {
  private static final String PROCESSES = "cgroup.procs";
  private static final String HANDED_DOWN = "cgroup.subtree_control";
  private static final String MEMORY = "memory";
  private static final String NOT_GIVEN =
      "the kernel, or the group above, does not give that controller";
  private static final String PREFIX = "stoker-";
  private static final long MICROS_PER_MS = 1_000;

  private final GroupFiles files;
  private final String parent;
  private final boolean groups;
  private final boolean memory;
  private final String state;

  /** Those that could not be removed yet: who has just been killed may be on the way out. */
  private final Set<String> leftovers = new HashSet<>();

  private RunGroups(GroupFiles files, String parent, boolean groups, boolean memory, String state) {
    this.files = files;
    this.parent = parent;
    this.groups = groups;
    this.memory = memory;
    this.state = state;
  }

  /**
   * What a run took, by its group.
   *
   * @param cpuMs user and system time of all that were ever in it
   * @param peakMemory bytes at the most, less what is still cached of files when it has ended
   * @param oomKills how many of its processes the kernel has killed for want of memory; empty if it
   *     does not account for memory
   */
  public record Account(long cpuMs, OptionalLong peakMemory, OptionalLong oomKills) {}

  /**
   * None, and why.
   *
   * @param why for people
   */
  public static RunGroups none(String why) {
    return new RunGroups(new GroupFolder(Path.of("/nowhere")), "", false, false, why);
  }

  /**
   * Those below a group, as far as they can be had.
   *
   * @param files of the group
   * @param owner what tells this agent's runs from another's
   * @param withoutMemory whether groups are wanted also where they cannot account for memory
   */
  public static RunGroups below(GroupFiles files, String owner, boolean withoutMemory) {
    String parent = PREFIX + owner;
    String at = files.path("", "").toString();
    if (files.read("", PROCESSES).isEmpty()) {
      return none(at + " is no group of cgroup v2");
    }
    Optional<String> noMemory = handDown(files, "");
    if (noMemory.isPresent() && !withoutMemory) {
      return none("no memory controller below %s: %s".formatted(at, noMemory.get()));
    }
    try {
      files.make(parent);
    } catch (IOException e) {
      return none("no group can be made in %s: %s".formatted(at, e.getMessage()));
    }
    noMemory = noMemory.isPresent() ? noMemory : handDown(files, parent);
    if (noMemory.isPresent() && !withoutMemory) {
      files.remove(parent);
      return none("no memory controller below %s: %s".formatted(at, noMemory.get()));
    }
    return new RunGroups(
        files,
        parent,
        true,
        noMemory.isEmpty(),
        noMemory
            .map(why -> "groups in %s without memory: %s".formatted(at, why))
            .orElse("groups in %s, with memory".formatted(at)));
  }

  /** What an agent could have below a group, which is left as it is; for people. */
  public static String outlook(GroupFiles files) {
    String at = files.path("", "").toString();
    if (files.read("", PROCESSES).isEmpty()) {
      return "none: %s is no group of cgroup v2".formatted(at);
    }
    if (!Files.isWritable(files.path("", PROCESSES))) {
      return "none: no group can be made in %s by this user".formatted(at);
    }
    return words(files, "", "cgroup.controllers").contains(MEMORY)
        ? "to be had in %s".formatted(at)
        : "in %s without memory: %s".formatted(at, NOT_GIVEN);
  }

  /** Sees to it that groups below have the memory controller; says why that cannot be. */
  private static Optional<String> handDown(GroupFiles files, String group) {
    if (!words(files, group, "cgroup.controllers").contains(MEMORY)) {
      return Optional.of(NOT_GIVEN);
    }
    if (words(files, group, HANDED_DOWN).contains(MEMORY)) {
      return Optional.empty();
    }
    try {
      files.write(group, HANDED_DOWN, "+" + MEMORY);
      return words(files, group, HANDED_DOWN).contains(MEMORY)
          ? Optional.empty()
          : Optional.of("it is not handed down");
    } catch (IOException e) {
      return Optional.of(
          "it cannot be handed down (%s), as where the group has processes of its own"
              .formatted(e.getMessage()));
    }
  }

  private static List<String> words(GroupFiles files, String group, String file) {
    return List.of(files.read(group, file).orElse("").strip().split("\\s+"));
  }

  /** What there is, or why there is nothing, for people. */
  public String state() {
    return state;
  }

  /** Whether there are any. */
  public boolean any() {
    return groups;
  }

  /** Whether they account for memory. */
  public boolean memory() {
    return memory;
  }

  /** The folder of them all, for the watchdog; empty if there are none. */
  public Optional<Path> folder() {
    return groups ? Optional.of(files.path(parent, "")) : Optional.empty();
  }

  private String group(String run) {
    return parent + "/" + run;
  }

  /**
   * Makes that of a run.
   *
   * @param memoryMax bytes that it may take
   * @return the file to which a process writes its pid to be in it; empty if there is no group
   */
  public Optional<Path> make(String run, OptionalLong memoryMax) throws IOException {
    if (!groups) {
      return Optional.empty();
    }
    leftovers.remove(run);
    files.make(group(run));
    if (memory && memoryMax.isPresent()) {
      files.write(group(run), "memory.max", Long.toString(memoryMax.getAsLong()));
    }
    return Optional.of(files.path(group(run), PROCESSES));
  }

  /** Who is in that of a run, or in one below it. */
  public Set<Long> processes(String run) {
    Set<Long> found = new HashSet<>();
    if (groups) {
      collect(group(run), found);
    }
    return found;
  }

  private void collect(String group, Set<Long> found) {
    files
        .read(group, PROCESSES)
        .ifPresent(
            text ->
                text.lines()
                    .map(String::strip)
                    .filter(RunGroups::pid)
                    .map(Long::valueOf)
                    .forEach(found::add));
    files.below(group).forEach(name -> collect(group + "/" + name, found));
  }

  /** A process of another namespace of pids is shown as 0. */
  private static boolean pid(String line) {
    return !line.isEmpty() && !line.equals("0");
  }

  /** Sends SIGKILL to all who are in that of a run, at once. */
  public void kill(String run) {
    if (groups) {
      killGroup(group(run));
    }
  }

  private void killGroup(String group) {
    try {
      files.write(group, "cgroup.kill", "1");
    } catch (IOException e) {
      // A kernel before 5.14, or the group is gone: who kills by pids does it.
    }
  }

  /** What a run took, that has ended; empty if it had no group. */
  public Optional<Account> account(String run) {
    if (!groups) {
      return Optional.empty();
    }
    OptionalLong peak = number(run, "memory.peak");
    OptionalLong left = number(run, "memory.current");
    return files
        .read(group(run), "cpu.stat")
        .map(
            cpu ->
                new Account(
                    counter(cpu, "usage_usec") / MICROS_PER_MS,
                    peak.isPresent()
                        ? OptionalLong.of(Math.max(0, peak.getAsLong() - left.orElse(0)))
                        : OptionalLong.empty(),
                    files.read(group(run), "memory.events").stream()
                        .mapToLong(events -> counter(events, "oom_kill"))
                        .findFirst()));
  }

  private OptionalLong number(String run, String file) {
    return files.read(group(run), file).stream()
        .mapToLong(text -> Long.parseLong(text.strip()))
        .findFirst();
  }

  private static long counter(String events, String name) {
    return events
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToLong(line -> Long.parseLong(line.substring(name.length()).strip()))
        .findFirst()
        .orElse(0);
  }

  /** Removes that of a run in which nobody is any more; later, if the kernel will not yet. */
  public void remove(String run) {
    if (groups) {
      leftovers.add(run);
      leftovers.removeIf(one -> removed(group(one)));
    }
  }

  private boolean removed(String group) {
    files.below(group).forEach(name -> removed(group + "/" + name));
    return files.remove(group);
  }

  /** Runs that have a group and are none of these. */
  public List<String> others(Collection<String> known) {
    List<String> found = new ArrayList<>(groups ? files.below(parent) : List.of());
    found.removeAll(known);
    return found;
  }
}
