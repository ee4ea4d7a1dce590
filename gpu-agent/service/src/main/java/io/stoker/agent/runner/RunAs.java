package io.stoker.agent.runner;

import io.stoker.agent.spawn.Order;
import io.stoker.common.security.OwnFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * As whom jobs run, and what they may become: as the agent's own user, or, where that is root, as
 * another one. The change is made by util-linux's {@code setpriv}, which becomes the job: no
 * process stands between, and pid, session and exit code are the job's. Unless they may gain
 * rights, no program makes them another user, and another user's have no capabilities.
 */
public final class RunAs {
  private static final String TOOL = "setpriv";

  /** As whoever the agent is. */
  public static final RunAs SELF = new RunAs(Optional.empty(), Path.of("/"), false, false);

  private static final List<String> NO_CAPABILITIES =
      List.of("--bounding-set=-all", "--inh-caps=-all");

  private final Optional<Account> account;
  private final Path tool;
  private final boolean drops;
  private final boolean gains;

  /**
   * @param drops whether the capabilities of another user's jobs can be dropped here
   * @param gains whether jobs may gain rights
   */
  private RunAs(Optional<Account> account, Path tool, boolean drops, boolean gains) {
    this.account = account;
    this.tool = tool;
    this.drops = drops;
    this.gains = gains;
  }

  /** The same for jobs that may gain rights, as by {@code sudo}. */
  public RunAs gaining() {
    return new RunAs(account, tool, drops, true);
  }

  boolean gains() {
    return gains;
  }

  /** The user, where it is not the agent's own. */
  Optional<Account> account() {
    return account;
  }

  /** What is in force, for people. */
  public String words() {
    return "%s%s%s"
        .formatted(
            account.map(user -> "as " + user.name()).orElse("as the agent"),
            gains ? "" : ", no new privileges",
            account.isPresent() && drops && !gains ? ", no capabilities" : "");
  }

  /**
   * As a user of this machine.
   *
   * @param key that names it
   * @throws IllegalArgumentException saying why that is not possible here
   */
  public static RunAs user(String name, String key) throws IOException {
    int self = (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    Optional<Path> tool = find(TOOL, System.getenv("PATH"));
    return of(
        name,
        key,
        self,
        Account.find(name),
        tool,
        self == 0 && tool.isPresent() && drops(tool.get()));
  }

  /**
   * Whether the tool can drop all capabilities here: a container's root may lack the right to, and
   * the tool may be older than the kernel.
   */
  private static boolean drops(Path tool) throws IOException {
    List<String> trial = new ArrayList<>(List.of(tool.toString()));
    trial.addAll(NO_CAPABILITIES);
    trial.add("true");
    try {
      return new ProcessBuilder(trial).redirectErrorStream(true).start().waitFor() == 0;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  static RunAs of(
      String name,
      String key,
      int self,
      Optional<Account> found,
      Optional<Path> tool,
      boolean drops) {
    if (found.isEmpty()) {
      throw refused(key, name, "this machine has no such user");
    }
    if (self == found.get().uid()) {
      return SELF;
    }
    if (self != 0) {
      throw refused(
          key,
          name,
          "the agent has the uid %d, and only root can start jobs as another user".formatted(self));
    }
    if (tool.isEmpty()) {
      throw refused(key, name, "there is no " + TOOL + " on the path; it is a part of util-linux");
    }
    return new RunAs(found, tool.get(), drops, false);
  }

  private static IllegalArgumentException refused(String key, String name, String why) {
    return new IllegalArgumentException("%s is '%s': %s".formatted(key, name, why));
  }

  static Optional<Path> find(String program, String path) {
    return Stream.concat(
            Stream.of(path == null ? new String[0] : path.split(":")),
            Stream.of("/usr/bin", "/bin", "/usr/local/bin"))
        .filter(folder -> folder.startsWith("/"))
        .map(folder -> Path.of(folder, program))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** Folders above the data that the user may not pass, so that its jobs would not find theirs. */
  public List<Path> closedAbove(Path data) throws IOException {
    List<Path> closed = new ArrayList<>();
    for (Path folder = data.getParent();
        account.isPresent() && folder != null;
        folder = folder.getParent()) {
      if (Files.exists(folder) && !passes(folder, account.get())) {
        closed.addFirst(folder);
      }
    }
    return closed;
  }

  private static boolean passes(Path folder, Account user) throws IOException {
    var modes = Files.getPosixFilePermissions(folder);
    if ((Integer) Files.getAttribute(folder, "unix:uid") == user.uid()) {
      return modes.contains(PosixFilePermission.OWNER_EXECUTE);
    }
    // The user's other groups are not looked up: this is for a warning.
    return (Integer) Files.getAttribute(folder, "unix:gid") == user.gid()
        ? modes.contains(PosixFilePermission.GROUP_EXECUTE)
        : modes.contains(PosixFilePermission.OTHERS_EXECUTE);
  }

  /** What the user's name and home make of the environment that all jobs get. */
  Map<String, String> environment(Map<String, String> passed) {
    if (account.isEmpty()) {
      return passed;
    }
    Map<String, String> own = new TreeMap<>(passed);
    own.put("HOME", account.get().home());
    own.put("USER", account.get().name());
    own.put("LOGNAME", account.get().name());
    own.put("SHELL", account.get().shell().isEmpty() ? "/bin/sh" : account.get().shell());
    return own;
  }

  /**
   * Gives the user what its job reads and writes. The folder stays the agent's: a link in the place
   * of a file would lead the agent, which is root, to what it leads to.
   */
  void own(Path folder, Path scratch, RunFiles files) throws IOException {
    if (account.isEmpty()) {
      return;
    }
    OwnFiles.folder(folder, account.get().gid());
    for (Path own : List.of(scratch, Isolation.tmp(folder))) {
      if (Files.isDirectory(own)) {
        give(own);
      }
    }
    for (Path file :
        List.of(
            files.result(), folder.resolve(RunFolders.STDOUT), folder.resolve(RunFolders.STDERR))) {
      if (!Files.exists(file)) {
        Files.createFile(file);
      }
      give(file);
    }
    for (Path file : List.of(files.params(), files.dependencies(), files.group())) {
      if (file.startsWith(folder)) {
        give(file);
      }
    }
  }

  private void give(Path path) throws IOException {
    Files.setAttribute(path, "unix:gid", account.orElseThrow().gid());
    Files.setAttribute(path, "unix:uid", account.orElseThrow().uid());
    if (Files.isRegularFile(path)) {
      OwnFiles.file(path);
    }
  }

  /**
   * The same order, carried out as the user, in all of its groups.
   *
   * @param named whether its request names its work folder
   */
  Order order(Order job, boolean named) {
    if (account.isEmpty()) {
      return job;
    }
    Order own = FirstSteps.of(job, account.get().name(), named);
    List<String> arguments = new ArrayList<>();
    arguments.addAll(
        List.of(
            TOOL,
            "--reuid=" + Integer.toUnsignedString(account.get().uid()),
            "--regid=" + Integer.toUnsignedString(account.get().gid()),
            "--init-groups"));
    if (drops && !gains) {
      arguments.addAll(NO_CAPABILITIES);
    }
    arguments.add("--");
    return own.behind(tool.toString(), arguments);
  }
}
