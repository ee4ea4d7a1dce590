package io.stoker.cli.command;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stoker backup}. */
@Command(
    name = "backup",
    description = {
      "Writes a backup of the database, with where the topics stood, to a file.",
      "Everything goes on meanwhile. The file has what requests and jobs were given, secrets too.",
      "Database and Kafka are those of --config or the STOKER_POSTGRES_* and STOKER_KAFKA_* variables,",
      "else the local stack's."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  stoker backup /backups/stoker-$(date +%%F).zip",
      "  stoker backup --force latest.zip --json | jq .rows",
      "  stoker backup --config dispatcher.properties /backups/stoker.zip"
    })
public final class BackupCommand implements Callable<Integer> {
  @Mixin private DispatchersOwn dispatcher;

  @Parameters(paramLabel = "FILE", description = "Where it is to be.")
  private Path file;

  @Option(names = "--force", description = "Replace a file that is there.")
  private boolean force;

  @Option(names = "--json", description = "Say what was written as one JSON object.")
  private boolean json;

  @Override
  public Integer call() throws IOException, InterruptedException {
    return BackupFile.run(dispatcher, "backup", file, force, json);
  }
}
