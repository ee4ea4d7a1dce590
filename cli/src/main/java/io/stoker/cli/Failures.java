package io.stoker.cli;

import io.stoker.cli.outcome.CliException;
import io.stoker.cli.outcome.ExitCode;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/**
 * Turns what went wrong into one message on standard error and an exit code.
 *
 * @param debug adds stack traces
 */
record Failures(boolean debug) {
  int failed(Exception failure, CommandLine command, ParseResult parsed) {
    PrintWriter err = command.getErr();
    command.getOut().flush();
    if (System.out.checkError()) {
      return ExitCode.FAILED; // what could not be written is told at the very end
    }
    String message = failure instanceof CliException ? failure.getMessage() : failure.toString();
    err.println("stoker: " + message);
    if (debug) {
      failure.printStackTrace(err);
    } else if (!(failure instanceof CliException)) {
      err.println("(STOKER_DEBUG=1 shows where this comes from)");
    }
    err.flush();
    return failure instanceof CliException expected ? expected.exitCode() : ExitCode.FAILED;
  }

  int misused(ParameterException misuse, String[] arguments) {
    CommandLine command = misuse.getCommandLine();
    PrintWriter err = command.getErr();
    err.println("stoker: " + Misuse.sentence(misuse));
    err.println("See: %s --help".formatted(command.getCommandSpec().qualifiedName()));
    err.flush();
    return ExitCode.USAGE;
  }
}
