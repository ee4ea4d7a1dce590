package io.stoker.cli.command;

import io.stoker.cli.local.DataFolder;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The option by which every command chooses its local stack. */
public final class DataOption {
  @Mixin private AccessOptions access = new AccessOptions();

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = {
        "Data folder of the local stack.",
        "Default: $STOKER_DATA, else .stoker beside the stoker launcher."
      })
  private Path data;

  /** Whom commands reach elsewhere, and as whom. */
  AccessOptions access() {
    return access;
  }

  /** Whether a local stack was chosen, and not only the one that is there without a choice. */
  boolean isChosen() {
    return data != null || AccessOptions.variable(System.getenv(), DataFolder.VARIABLE).isPresent();
  }

  /** The chosen folder; it need not exist. */
  public DataFolder folder() {
    return DataFolder.choose(Optional.ofNullable(data), System.getenv());
  }
}
