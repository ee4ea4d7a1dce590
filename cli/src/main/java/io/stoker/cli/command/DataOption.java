package io.stoker.cli.command;

import io.stoker.cli.local.DataFolder;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The option by which every command chooses its local stack. */
public final class DataOption {
  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = {
        "Data folder of the local stack.",
        "Default: $STOKER_DATA, else .stoker beside the stoker launcher."
      })
  private Path data;

  /** The chosen folder; it need not exist. */
  public DataFolder folder() {
    return DataFolder.choose(Optional.ofNullable(data), System.getenv());
  }
}
