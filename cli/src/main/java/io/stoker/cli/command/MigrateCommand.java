package io.stoker.cli.command;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code stoker migrate}. */
@Command(
    name = "migrate",
    description = {
      "Brings the database to the schema of this version.",
      "A production set-up runs it once a version. The database is that of --config or the",
      "STOKER_POSTGRES_* variables, else the local stack's."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  stoker migrate",
      "  stoker migrate --json | jq .version",
      "  STOKER_POSTGRES_URL=postgresql://db:5432/stoker STOKER_POSTGRES_USER=stoker \\",
      "    STOKER_POSTGRES_PASSWORD=... stoker migrate"
    })
public final class MigrateCommand implements Callable<Integer> {
  private static final int HEAP = 128;

  @Mixin private DispatchersOwn dispatcher;

  @Option(names = "--json", description = "Say what was done as one JSON object.")
  private boolean json;

  @Override
  public Integer call() throws IOException, InterruptedException {
    return dispatcher.run(HEAP, json ? List.of("migrate", "--json") : List.of("migrate"));
  }
}
