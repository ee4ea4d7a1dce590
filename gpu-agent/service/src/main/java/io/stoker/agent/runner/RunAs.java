package io.stoker.agent.runner;

import io.stoker.agent.spawn.Order;
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
 * As whom jobs run: as the agent's own user, or, where that is root, as another one. The change is
 * made by util-linux's {@code setpriv}, which becomes the job: no process stands between, and pid,
 * session and exit code are the job's.
 */
public final class RunAs {
  /** What {@code setpriv} says if it cannot run the program. */
  static final String CANNOT_EXECUTE = "setpriv: failed to execute ";

  private static final String KEY = "stoker.agent.run-as";
  private static final String TOOL = "setpriv";

  /** As whoever the agent is. */
  public static final RunAs SELF = new RunAs(Optional.empty(), Path.of("/"));

  private final Optional<Account> account;
  private final Path tool;

  private RunAs(Optional<Account> account, Path tool) {
    this.account = account;
    this.tool = tool;
  }

  /**
   * As a user of this machine.
   *
   * @throws IllegalArgumentException saying why that is not possible here
   */
  public static RunAs user(String name) throws IOException {
    int self = (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    return of(name, self, Account.find(name), find(TOOL, System.getenv("PATH")));
  }

  static RunAs of(String name, int self, Optional<Account> found, Optional<Path> tool) {
    if (found.isEmpty()) {
      throw refused(name, "this machine has no such user");
    }
    if (self == found.get().uid()) {
      return SELF;
    }
    if (self != 0) {
      throw refused(
          name,
          "the agent has the uid %d, and only root can start jobs as another user".formatted(self));
    }
    if (tool.isEmpty()) {
      throw refused(name, "there is no " + TOOL + " on the path; it is a part of util-linux");
    }
    return new RunAs(found, tool.get());
  }

  private static IllegalArgumentException refused(String name, String why) {
    return new IllegalArgumentException("%s is '%s': %s".formatted(KEY, name, why));
  }

  private static Optional<Path> find(String program, String path) {
    return Stream.concat(
            Stream.of(path == null ? new String[0] : path.split(":")),
            Stream.of("/usr/bin", "/bin", "/usr/local/bin"))
        .filter(folder -> folder.startsWith("/"))
        .map(folder -> Path.of(folder, program))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** Folders above the runs that the user may not pass, so that its jobs would not find theirs. */
  public List<Path> closedAbove(Path data) throws IOException {
    List<Path> closed = new ArrayList<>();
    for (Path folder = data; account.isPresent() && folder != null; folder = folder.getParent()) {
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

  /** Gives the user what its job writes to: its scratch folder, and its result. */
  void own(Path scratch, Path result) throws IOException {
    if (account.isEmpty()) {
      return;
    }
    if (Files.isDirectory(scratch)) {
      give(scratch);
    }
    if (!Files.exists(result)) {
      Files.createFile(result);
    }
    give(result);
  }

  private void give(Path path) throws IOException {
    Files.setAttribute(path, "unix:gid", account.orElseThrow().gid());
    Files.setAttribute(path, "unix:uid", account.orElseThrow().uid());
  }

  /** The same order, carried out as the user, in all of its groups. */
  Order order(Order own) {
    if (account.isEmpty()) {
      return own;
    }
    List<String> arguments = new ArrayList<>();
    arguments.addAll(
        List.of(
            TOOL,
            "--reuid=" + Integer.toUnsignedString(account.get().uid()),
            "--regid=" + Integer.toUnsignedString(account.get().gid()),
            "--init-groups",
            "--",
            own.program()));
    arguments.addAll(own.arguments().subList(1, own.arguments().size()));
    return new Order(
        own.run(),
        tool.toString(),
        own.workdir(),
        own.told(),
        arguments,
        own.environment(),
        own.cpus());
  }
}
