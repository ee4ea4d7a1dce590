package io.stoker.agent.runner;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * The isolation of all jobs of a host.
 *
 * @param offline whether they have no network
 * @param privateTmp whether each has a {@code /tmp} and {@code /var/tmp} of its own
 * @param readOnly folders and files in which they write nothing, absolute
 */
public record IsolationRules(
    boolean offline, boolean privateTmp, List<Path> readOnly, Limits limits) {
  /** From nothing. */
  public static final IsolationRules NONE =
      new IsolationRules(false, false, List.of(), Limits.NONE);

  /** Whether they are kept from anything. */
  boolean any() {
    return offline || privateTmp || !readOnly.isEmpty() || !limits.before().isEmpty();
  }

  /**
   * For people: each after a comma.
   *
   * @param without whether it is of a job that asks for no network
   */
  String words(boolean without) {
    List<String> words = new ArrayList<>();
    if (offline || without) {
      words.add("no network");
    }
    if (privateTmp) {
      words.add("/tmp of its own");
    }
    if (!readOnly.isEmpty()) {
      words.add("read-only " + String.join(" ", readOnly.stream().map(Path::toString).toList()));
    }
    words.addAll(limits.words());
    return String.join(", ", words);
  }

  /**
   * Limits of {@code setrlimit(2)}; what is empty stays as the agent has it.
   *
   * @param processes of the user, all its jobs together; root has no such limit
   * @param openFiles of a process
   * @param fileSize bytes of a file that a process writes
   * @param coreSize bytes of what a process leaves that crashes
   */
  public record Limits(
      OptionalLong processes,
      OptionalLong openFiles,
      OptionalLong fileSize,
      OptionalLong coreSize) {
    public static final Limits NONE =
        new Limits(
            OptionalLong.empty(), OptionalLong.empty(), OptionalLong.empty(), OptionalLong.empty());

    /** The words that set them for the program after them; none if there are none. */
    List<String> before() {
      List<String> words = new ArrayList<>();
      option(words, "nproc", processes);
      option(words, "nofile", openFiles);
      option(words, "fsize", fileSize);
      option(words, "core", coreSize);
      if (!words.isEmpty()) {
        words.addFirst(Isolation.tool("prlimit"));
        words.add("--");
      }
      return words;
    }

    private static void option(List<String> words, String name, OptionalLong most) {
      most.ifPresent(number -> words.add("--%s=%d".formatted(name, number)));
    }

    private List<String> words() {
      List<String> words = new ArrayList<>();
      processes.ifPresent(number -> words.add("%d processes at most".formatted(number)));
      openFiles.ifPresent(number -> words.add("%d open files".formatted(number)));
      fileSize.ifPresent(number -> words.add("files of %d bytes".formatted(number)));
      coreSize.ifPresent(number -> words.add("core dumps of %d bytes".formatted(number)));
      return words;
    }
  }
}
