package io.stoker.cli.command;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stoker restore}. */
@Command(
    name = "restore",
    description = {
      "Puts a backup back, and has the topics read again from where they stood.",
      "All dispatchers are to be stopped before; agents and their jobs may run on. Nothing is placed",
      "afterwards until no host can run what the database does not know: stoker hosts shows who is",
      "waited for.",
      "Database and Kafka are those of --config or the STOKER_POSTGRES_* and STOKER_KAFKA_* variables,",
      "else the local stack's."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  stoker restore /backups/stoker-2026-11-23.zip",
      "  stoker restore --force --config dispatcher.properties /backups/stoker.zip"
    })
public final class RestoreCommand implements Callable<Integer> {
  @Mixin private DispatchersOwn dispatcher;

  @Parameters(paramLabel = "FILE", description = "The backup.")
  private Path file;

  @Option(names = "--force", description = "Lose what is in the database now.")
  private boolean force;

  @Option(names = "--json", description = "Say what was done as one JSON object.")
  private boolean json;

  @Override
  public Integer call() throws IOException, InterruptedException {
    return BackupFile.run(dispatcher, "restore", file, force, json);
  }
}
