package io.stoker.cli;

import io.stoker.cli.local.BuildInfo;
import io.stoker.cli.terminal.Output;
import io.stoker.cli.terminal.Terminal;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The {@code stoker} command. */
@Command(
    name = "stoker",
    description = "Keeps GPUs fed: an event-driven job queue on Kafka.",
    mixinStandardHelpOptions = true,
    scope = ScopeType.INHERIT,
    versionProvider = BuildInfo.class,
    synopsisSubcommandLabel = "COMMAND",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:the job or the command failed",
      "2:bad usage or input",
      "3:the stack cannot be reached",
      "4:unknown id"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  stoker demo                        see all of it at work",
      "  stoker up --detach                 start a whole stack on this machine",
      "  stoker run -- echo hi              run a command as a job",
      "  stoker submit jobs.jsonl --wait    submit requests and wait for their ends",
      "  stoker down                        stop the stack; its data is kept",
      "",
      "Shell completion: source <(stoker generate-completion)",
      "",
      "STOKER_DATA (or --data) chooses the local stack, STOKER_BOOTSTRAP (Kafka) and STOKER_URL (REST)",
      "point to another one. NO_COLOR turns colours off, STOKER_DEBUG=1 shows stack traces.",
      "",
      "Commands that reach a stack also take --context NAME for one that stoker login has kept,",
      "--token TOKEN (rather set STOKER_TOKEN), and --ca FILE with certificates for HTTPS."
    })
public final class Main implements Runnable {
  private static final int HELP_WIDTH = 100;

  @Spec private CommandSpec spec;

  public static void main(String[] arguments) {
    Locale.setDefault(Locale.ROOT); // others have digits of their own, in addresses and ids too
    quietLibraries();
    Output output = Output.install();
    int exitCode = commandLine(arguments).execute(arguments);
    System.exit(output.finish(System.out, System.err, exitCode));
  }

  /**
   * The command line for these arguments: of the one command that they name, or of all. To learn of
   * all commands what they take costs more than most of them do.
   */
  public static CommandLine commandLine(String... arguments) {
    Optional<Class<?>> named =
        arguments.length == 0
            ? Optional.empty()
            : Optional.ofNullable(Commands.BY_NAME.get(arguments[0]));
    return of(named.<Collection<Class<?>>>map(List::of).orElseGet(Commands.BY_NAME::values));
  }

  private static CommandLine of(Collection<Class<?>> commands) {
    CommandLine line = new CommandLine(new Main());
    commands.forEach(line::addSubcommand);
    line.setColorScheme(CommandLine.Help.defaultColorScheme(Terminal.ansi()));
    line.setUsageHelpWidth(Math.clamp(Terminal.namedColumns().orElse(HELP_WIDTH), 60, HELP_WIDTH));
    CommandList.showIn(line);
    Optional.ofNullable(line.getSubcommands().get("run"))
        .ifPresent(run -> run.setStopAtPositional(true));
    line.setCaseInsensitiveEnumValuesAllowed(true);
    Failures failures = new Failures(System.getenv("STOKER_DEBUG") != null);
    line.setExecutionExceptionHandler(failures::failed);
    line.setParameterExceptionHandler(failures::misused);
    return line;
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing");
  }

  /** Kafka's client warns of every reconnection; the commands say themselves what is wrong. */
  private static void quietLibraries() {
    if (System.getenv("STOKER_DEBUG") == null) {
      Logger.getLogger("").setLevel(Level.OFF);
    }
  }
}
