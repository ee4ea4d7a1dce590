package io.stoker.cli.command;

import io.stoker.cli.local.Home;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

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
      "  STOKER_POSTGRES_URL=postgresql://db:5432/stoker STOKER_POSTGRES_USER=stoker \\",
      "    STOKER_POSTGRES_PASSWORD=... stoker migrate"
    })
public final class MigrateCommand implements Callable<Integer> {
  private static final List<String> FLAGS = List.of("-Xmx128m", "-XX:TieredStopAtLevel=1");

  @Mixin private DataOption data;
  @Mixin private ConfigOption config;

  @Override
  public Integer call() throws IOException, InterruptedException {
    return ServiceProcess.run(
        Home.locate().dispatcherJar(),
        FLAGS,
        config.file(),
        List.of("migrate"),
        Services.variables(data, config));
  }
}
