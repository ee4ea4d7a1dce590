package io.stoker.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.input.Values;
import io.stoker.cli.outcome.CliException;
import io.stoker.cli.outcome.ExitCode;
import io.stoker.cli.rest.Passive;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stoker finish}. */
@Command(
    name = "finish",
    description = {
      "Says what came of a request of type passive, which a person runs.",
      "The first number is the score; the others are named by the request's resultLabels."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  stoker finish taste-7 0.91",
      "  stoker finish taste-7 0.91 3 -- -2",
      "  stoker finish taste-7 --result '{\"score\": 0.91, \"note\": \"salty\"}'",
      "  stoker finish taste-7 --fail 'the soup was cold'"
    })
public final class FinishCommand implements Callable<Integer> {
  @Mixin private DataOption data;
  @Mixin private NamedAnswer answer;

  @Parameters(index = "0", paramLabel = "ID", description = "Id of a request.")
  private String id;

  @Parameters(
      index = "1..*",
      paramLabel = "VALUE",
      description = "Numbers: one is the result, several are an array.")
  private List<String> values = new ArrayList<>();

  @Option(names = "--score", paramLabel = "S", description = "The same as one VALUE.")
  private String score;

  @Option(names = "--result", paramLabel = "JSON", description = "The result, any JSON value.")
  private String result;

  @Option(
      names = {"--fail", "--failed"},
      arity = "0..1",
      paramLabel = "REASON",
      fallbackValue = "failed, as a person said",
      description = "It has failed. Default of REASON: ${FALLBACK-VALUE}.")
  private String failed;

  @Override
  public Integer call() {
    if (score != null) {
      values.addFirst(score);
    }
    if (!values.isEmpty() && result != null) {
      throw CliException.usage("--result and VALUE are both given, expected one of them");
    }
    if (failed != null && (!values.isEmpty() || result != null)) {
      throw CliException.usage("--fail and a result are both given, expected one of them");
    }
    JsonNode value = result == null ? Values.numbers(values).orElse(null) : Values.json(result);
    try (Session session = new Session(data)) {
      if (!new Passive(session.rest()).finish(id, value, failed)) {
        throw CliException.unknownId("nobody knows a request " + id);
      }
      answer.print(session, "id", id);
      return ExitCode.DONE;
    }
  }
}
