package io.stoker.agent.runner;

import io.stoker.agent.spawn.Failure;
import io.stoker.agent.spawn.Order;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The isolation of jobs beyond what their user may not: by namespaces and limits of their own. They
 * are made by util-linux's {@code unshare}, {@code mount} and {@code prlimit}, which become the job
 * one after the other: pid, session and exit code stay the job's. An agent that is not root makes
 * them in a user namespace, in which the job has no capability either.
 *
 * <p>Whatever cannot be had is refused when the agent starts, or fails the job before its program
 * begins: nothing runs without what was asked for.
 */
public final class Isolation {
  /** Nothing of it, and no job may ask for it. */
  public static final Isolation NONE =
      new Isolation(IsolationRules.NONE, new Tools(false, Optional.empty(), ""), false);

  private static final String KEY = "stoker.agent.isolation";

  /** Of a run's folder: what is {@code /tmp} to its job. */
  private static final String TMP = "tmp";

  private static final List<Path> SHARED_TMP = List.of(Path.of("/tmp"), Path.of("/var/tmp"));

  /** In one line, whatever mount says; by what is the shell's own, as the path is the job's. */
  private static final String FAIL =
      "fail() { set -f; echo \"$0\"in isolation: $1 $2 >&2; exit 126; }; ";

  /** Without {@code ip} it stays down. */
  private static final String LOOPBACK = "%s link set lo up 2>/dev/null; ";

  private static final String OWN_TMP =
      "for at in /tmp /var/tmp; do [ ! -d $at ] || said=$(%1$s --bind \"$1\" $at 2>&1)"
          + " || fail \"no private $at:\" \"$said\"; done; shift; ";

  private static final String READ_ONLY =
      "while [ \"$1\" != -- ]; do"
          + " said=$(%1$s --rbind \"$1\" \"$1\" 2>&1 && %1$s -o remount,bind,ro \"$1\" 2>&1)"
          + " || fail 'cannot be made read-only:' \"$1 ($said)\"; shift; done; ";

  private final IsolationRules rules;
  private final Tools tools;
  private final boolean offline;

  /**
   * @param root whether the agent is root: else it needs a namespace of users for all others
   * @param ip the tool that brings a network device up, if this host has it
   * @param mount the tool, which is not looked for on a job's own path
   */
  private record Tools(boolean root, Optional<Path> ip, String mount) {}

  private Isolation(IsolationRules rules, Tools tools, boolean offline) {
    this.rules = rules;
    this.tools = tools;
    this.offline = offline;
  }

  /**
   * Those of this host, each tried once.
   *
   * @param data the agent's data folder, absolute
   * @throws IllegalArgumentException naming the key that cannot be obeyed here, and why
   */
  public static Isolation of(IsolationRules rules, Path data) throws IOException {
    return of(rules, data, root());
  }

  static Isolation of(IsolationRules rules, Path data, boolean root) throws IOException {
    if (rules.privateTmp() && SHARED_TMP.stream().anyMatch(data::startsWith)) {
      throw new IllegalArgumentException(
          "%s.private-tmp is true: the agent's data folder %s is where jobs would see their own /tmp"
              .formatted(KEY, data));
    }
    Tools tools = tools(root);
    Isolation all = new Isolation(rules, tools, true);
    if (rules.any()) {
      all.trial(rules.offline(), data)
          .ifPresent(
              why -> {
                throw new IllegalArgumentException(
                    "%s.*: what it asks for (%s) cannot be had on this host: %s"
                        .formatted(KEY, rules.words(false), why));
              });
    }
    boolean can = rules.offline() || all.trial(true, data).isEmpty();
    return new Isolation(rules, tools, can);
  }

  /** What an agent could keep jobs from that is started as this process was; for people. */
  public static String outlook() throws IOException {
    Path data = Files.createTempDirectory("stoker-isolation");
    try {
      IsolationRules all =
          new IsolationRules(true, false, List.of(data), IsolationRules.Limits.NONE);
      Optional<String> trouble = new Isolation(all, tools(root()), true).trial(true, data);
      return trouble
          .map(why -> "jobs cannot be kept from the network or folders: " + why)
          .orElse("jobs can be kept from the network and folders: stoker.agent.isolation.*");
    } finally {
      RunFolders.delete(data.toFile());
    }
  }

  private static boolean root() throws IOException {
    return (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0;
  }

  private static Tools tools(boolean root) {
    return new Tools(root, RunAs.find("ip", "/usr/sbin:/sbin"), tool("mount"));
  }

  /** Where it is; where it would be, if it is not there. */
  static String tool(String name) {
    return RunAs.find(name, System.getenv("PATH")).orElse(Path.of("/usr/bin", name)).toString();
  }

  /**
   * Runs a program that does nothing in it; says what goes wrong. Where the disk is full nothing is
   * tried: an agent must be there for what runs, and a job that cannot be isolated fails by itself.
   */
  private Optional<String> trial(boolean without, Path data) throws IOException {
    Path folder;
    try {
      folder = rules.privateTmp() ? Files.createTempDirectory(data, "trial") : data;
    } catch (IOException full) {
      return Optional.empty();
    }
    try {
      if (rules.privateTmp()) {
        Files.createDirectory(folder.resolve(TMP));
      }
      List<String> words = before(without, folder);
      words.add("/bin/true");
      Process trial = new ProcessBuilder(words).redirectErrorStream(true).start();
      String said = new String(trial.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return trial.waitFor() == 0 ? Optional.empty() : Optional.of(said.strip());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.of("interrupted");
    } catch (IOException e) {
      return Optional.of(e.getMessage());
    } finally {
      if (rules.privateTmp()) {
        RunFolders.delete(folder.toFile());
      }
    }
  }

  /** Whether a job can be had that has no network. */
  public boolean canBeOffline() {
    return offline;
  }

  /** Whether no job has a network. */
  boolean offline() {
    return rules.offline();
  }

  /** Whether jobs see a {@code /tmp} of their own. */
  boolean privateTmp() {
    return rules.privateTmp();
  }

  /** What is {@code /tmp} to the job of a run. */
  static Path tmp(Path folder) {
    return folder.resolve(TMP);
  }

  /**
   * What is in force, for people; empty if nothing is.
   *
   * @param without whether it is of a job that asks for no network
   */
  String words(boolean without) {
    return rules.words(without);
  }

  /** Why a job that asks for no network cannot be started here, if so. */
  Optional<String> refusal(boolean without) {
    return without && !offline
        ? Optional.of(
            "it asks for network none, which this host cannot give: see %s.network".formatted(KEY))
        : Optional.empty();
  }

  /**
   * The same order, carried out in it.
   *
   * @param without whether the job asks for no network
   * @param folder of the run
   */
  Order order(Order own, boolean without, Path folder) {
    List<String> words = before(without || rules.offline(), folder);
    return words.isEmpty() ? own : own.behind(words.getFirst(), words);
  }

  private List<String> before(boolean without, Path folder) {
    List<String> words = new ArrayList<>();
    boolean mounts = rules.privateTmp() || !rules.readOnly().isEmpty();
    if (without || mounts) {
      words.add(tool("unshare"));
      if (!tools.root()) {
        words.addAll(List.of("--user", "--map-current-user", "--keep-caps"));
      }
      if (without) {
        words.add("--net");
      }
      if (mounts) {
        words.add("--mount");
      }
      words.addAll(List.of("--", "/bin/sh", "-c", script(without), Failure.MARK));
      if (rules.privateTmp()) {
        words.add(tmp(folder).toString());
      }
      rules.readOnly().forEach(path -> words.add(path.toString()));
      words.add("--");
    }
    words.addAll(rules.limits().before());
    if ((without || mounts) && !tools.root()) {
      words.addAll(List.of(tool("setpriv"), "--ambient-caps=-all", "--inh-caps=-all"));
      words.addAll(List.of("--bounding-set=-all", "--"));
    }
    return words;
  }

  private String script(boolean without) {
    StringBuilder script = new StringBuilder(FAIL);
    if (without) {
      tools.ip().ifPresent(ip -> script.append(LOOPBACK.formatted(ip)));
    }
    if (rules.privateTmp()) {
      script.append(OWN_TMP.formatted(tools.mount()));
    }
    return script
        .append(READ_ONLY.formatted(tools.mount()))
        .append("shift; exec \"$@\"")
        .toString();
  }
}
