package io.stoker.agent.cgroup;

import io.stoker.agent.spawn.OwnProcess;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A plain folder that stands in for a control group: groups have the files that the kernel would
 * make, and show of those who entered the ones that live. Nothing is limited, counted or killed.
 */
public final class StandInGroups extends GroupFolder {
  private static final Map<String, String> MADE =
      Map.of(
          "cgroup.procs", "",
          "cgroup.kill", "",
          "cgroup.subtree_control", "",
          "cpu.stat", "usage_usec 0\n",
          "memory.max", "max\n",
          "memory.peak", "0\n",
          "memory.current", "0\n",
          "memory.events", "low 0\noom 0\noom_kill 0\n");

  private final Path root;

  /**
   * @param controllers that the group itself has
   */
  public StandInGroups(Path root, String controllers) throws IOException {
    super(root);
    this.root = root;
    made("", controllers);
  }

  private void made(String group, String controllers) throws IOException {
    for (Map.Entry<String, String> file : MADE.entrySet()) {
      Files.writeString(path(group, file.getKey()), file.getValue());
    }
    Files.writeString(path(group, "cgroup.controllers"), controllers + "\n");
  }

  /** Sets what the kernel would count. */
  public void set(String group, String file, String text) throws IOException {
    Files.writeString(path(group, file), text);
  }

  @Override
  public Optional<String> read(String group, String file) {
    Optional<String> text = super.read(group, file);
    return file.equals("cgroup.procs")
        ? text.map(
            all ->
                all.lines()
                    .filter(pid -> OwnProcess.of(Long.parseLong(pid)).alive())
                    .collect(Collectors.joining("\n")))
        : text;
  }

  @Override
  public void write(String group, String file, String text) throws IOException {
    super.write(group, file, file.equals("cgroup.subtree_control") ? text.substring(1) : text);
  }

  @Override
  public void make(String group) throws IOException {
    if (!Files.exists(root.resolve(group))) {
      super.make(group);
      String above = group.contains("/") ? group.substring(0, group.lastIndexOf('/')) : "";
      made(group, read(above, "cgroup.subtree_control").orElse("").strip());
    }
  }

  @Override
  public boolean remove(String group) {
    File folder = root.resolve(group).toFile();
    if (!read(group, "cgroup.procs").orElse("").isEmpty() || !below(group).isEmpty()) {
      return false; // as the kernel
    }
    File[] files = folder.listFiles();
    for (File file : files == null ? new File[0] : files) {
      file.delete();
    }
    return super.remove(group);
  }
}
