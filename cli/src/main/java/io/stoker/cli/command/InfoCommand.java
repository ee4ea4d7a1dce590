package io.stoker.cli.command;

import io.stoker.cli.local.StackInfo;
import io.stoker.cli.outcome.ExitCode;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code stoker info}. */
@Command(
    name = "info",
    description = "Shows the addresses and the live processes of the local stack.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  stoker info",
      "  stoker info --json | jq -r .bootstrap",
      "  kill -9 $(stoker info --json | jq '.pids.dispatcher[0]')"
    })
public final class InfoCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private DataOption data;

  @Option(names = "--json", description = "One JSON object, with the database's password.")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    InfoPrinter printer = new InfoPrinter(spec.commandLine().getOut());
    StackInfo info = InfoPrinter.find(data.folder());
    if (json) {
      printer.json(info);
    } else {
      printer.text(info);
    }
    return ExitCode.DONE;
  }
}
