package io.stoker.cli.command;

import io.stoker.cli.local.DataFolder;
import io.stoker.cli.terminal.Terminal;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The option by which every command chooses its local stack. */
public final class DataOption {
  @Mixin private AccessOptions access = new AccessOptions();

  @Spec(Spec.Target.MIXEE)
  private CommandSpec command;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = {
        "Data folder of the local stack.",
        "Default: $STOKER_DATA, else .stoker beside the stoker launcher."
      })
  private Path data;

  /** Where the command that is called speaks to people. */
  public Terminal terminal() {
    return Terminal.of(command);
  }

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
