package io.stoker.cli.local;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The file of a data folder in which an {@code up} tells other commands about itself. The file may
 * outlive its process: {@link #find} answers only while that process runs.
 *
 * @param ready false while the stack starts
 */
public record RunningStack(
    ProcessRef up, boolean ready, Addresses addresses, List<ChildRef> children) {
  /** A child that was alive when the file was written. */
  public record ChildRef(String name, Role role, ProcessRef process) {}

  /** The stack that runs on a data folder, starting ones included. */
  public static Optional<RunningStack> find(DataFolder data) throws IOException {
    return lastWritten(data, damage -> {}).filter(stack -> stack.up.find().isPresent());
  }

  /**
   * What the latest {@code up} wrote, whether it still runs or was killed.
   *
   * @param messages is told if that is damaged, and so passed over
   */
  public static Optional<RunningStack> lastWritten(DataFolder data, Consumer<String> messages)
      throws IOException {
    return file(data).readUndamaged(messages);
  }

  /** Replaces the file. */
  public void write(DataFolder data) throws IOException {
    file(data).write(this);
  }

  public static void remove(DataFolder data) throws IOException {
    Files.deleteIfExists(data.runningFile());
  }

  private static JsonFile<RunningStack> file(DataFolder data) {
    return new JsonFile<>(data.runningFile(), RunningStack.class);
  }
}
