package io.stoker.cli;

import io.stoker.cli.bench.BenchCommand;
import io.stoker.cli.command.AgentCommand;
import io.stoker.cli.command.CancelCommand;
import io.stoker.cli.command.CordonCommand;
import io.stoker.cli.command.DevicesCommand;
import io.stoker.cli.command.DispatcherCommand;
import io.stoker.cli.command.DownCommand;
import io.stoker.cli.command.DrainCommand;
import io.stoker.cli.command.EstimatesCommand;
import io.stoker.cli.command.ExplainCommand;
import io.stoker.cli.command.FinishCommand;
import io.stoker.cli.command.ForgetCommand;
import io.stoker.cli.command.GroupCommand;
import io.stoker.cli.command.HostsCommand;
import io.stoker.cli.command.InfoCommand;
import io.stoker.cli.command.KindsCommand;
import io.stoker.cli.command.ListCommand;
import io.stoker.cli.command.LogsCommand;
import io.stoker.cli.command.MigrateCommand;
import io.stoker.cli.command.PassiveCommand;
import io.stoker.cli.command.PolicyCommand;
import io.stoker.cli.command.PoolCommand;
import io.stoker.cli.command.PriorityCommand;
import io.stoker.cli.command.QueuesCommand;
import io.stoker.cli.command.ReloadCommand;
import io.stoker.cli.command.ResultsCommand;
import io.stoker.cli.command.RetryCommand;
import io.stoker.cli.command.RunCommand;
import io.stoker.cli.command.StatusCommand;
import io.stoker.cli.command.SubmitCommand;
import io.stoker.cli.command.SweepCommand;
import io.stoker.cli.command.TopicsCommand;
import io.stoker.cli.command.UncordonCommand;
import io.stoker.cli.command.UpCommand;
import io.stoker.cli.command.WaitCommand;
import io.stoker.cli.demo.DemoCommand;
import io.stoker.cli.doctor.DoctorCommand;
import io.stoker.cli.top.TopCommand;
import java.util.logging.Level;
import java.util.logging.Logger;
import picocli.AutoComplete.GenerateCompletion;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The {@code stoker} command. */
@Command(
    name = "stoker",
    description = "Keeps GPUs fed: an event-driven job queue on Kafka.",
    subcommands = {
      DemoCommand.class,
      UpCommand.class,
      DownCommand.class,
      InfoCommand.class,
      SubmitCommand.class,
      RunCommand.class,
      StatusCommand.class,
      WaitCommand.class,
      ListCommand.class,
      LogsCommand.class,
      ResultsCommand.class,
      CancelCommand.class,
      RetryCommand.class,
      ForgetCommand.class,
      PriorityCommand.class,
      ExplainCommand.class,
      GroupCommand.class,
      SweepCommand.class,
      TopCommand.class,
      HostsCommand.class,
      CordonCommand.class,
      DrainCommand.class,
      UncordonCommand.class,
      PolicyCommand.class,
      DevicesCommand.class,
      PoolCommand.class,
      PassiveCommand.class,
      FinishCommand.class,
      QueuesCommand.class,
      KindsCommand.class,
      EstimatesCommand.class,
      ReloadCommand.class,
      DoctorCommand.class,
      BenchCommand.class,
      DispatcherCommand.class,
      AgentCommand.class,
      TopicsCommand.class,
      MigrateCommand.class,
      GenerateCompletion.class
    },
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
      "point to another one. NO_COLOR turns colours off, STOKER_DEBUG=1 shows stack traces."
    })
public final class Main implements Runnable {
  /** Set by the launcher when standard output is a terminal. */
  public static final String TERMINAL_PROPERTY = "stoker.terminal";

  @Spec private CommandSpec spec;

  public static void main(String[] arguments) {
    quietLibraries();
    System.exit(commandLine().execute(arguments));
  }

  /** The command line as {@link #main} runs it; tests run it within their own process. */
  public static CommandLine commandLine() {
    CommandLine line = new CommandLine(new Main());
    line.setColorScheme(CommandLine.Help.defaultColorScheme(ansi()));
    line.setUsageHelpWidth(100);
    CommandList.showIn(line);
    line.setCaseInsensitiveEnumValuesAllowed(true);
    Failures failures = new Failures(System.getenv("STOKER_DEBUG") != null);
    line.setExecutionExceptionHandler(failures::failed);
    line.setParameterExceptionHandler(failures::misused);
    return line;
  }

  /** Colours for a terminal whose user has not turned them off (https://no-color.org). */
  public static Ansi ansi() {
    boolean terminal = System.getProperty(TERMINAL_PROPERTY) != null;
    String noColor = System.getenv().getOrDefault("NO_COLOR", "");
    boolean dumb = "dumb".equals(System.getenv("TERM"));
    return terminal && noColor.isEmpty() && !dumb ? Ansi.ON : Ansi.OFF;
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
