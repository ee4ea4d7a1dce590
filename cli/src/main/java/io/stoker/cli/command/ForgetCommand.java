package io.stoker.cli.command;

import io.stoker.cli.outcome.CliException;
import io.stoker.cli.rest.Requests;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stoker forget}. */
@Command(
    name = "forget",
    description = {
      "Drops remembered results, so that the next equal request runs.",
      "What was answered stays answered, and what is live goes on."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  stoker forget train-042",
      "  stoker forget --fingerprint $(stoker status --json train-042 | jq -r .fingerprint)"
    })
public final class ForgetCommand implements Callable<Integer> {
  @Mixin private DataOption data;
  @Mixin private NamedAnswer answer;

  @Parameters(paramLabel = "ID", arity = "0..*", description = "Ids of requests.")
  private List<String> ids = List.of();

  @Option(names = "--fingerprint", paramLabel = "F", description = "A meaning, 64 hex digits.")
  private String fingerprint;

  @Override
  public Integer call() {
    if (ids.isEmpty() == (fingerprint == null)) {
      throw CliException.usage("forget needs either ids or --fingerprint");
    }
    try (Session session = new Session(data)) {
      Requests requests = session.requests();
      if (fingerprint != null) {
        if (!requests.forgetFingerprint(fingerprint)) {
          throw CliException.unknownId("no result is remembered under " + fingerprint);
        }
        answer.print(session, "fingerprint", fingerprint);
      }
      return session.each(
          ids,
          id -> {
            boolean known = requests.forget(id);
            if (known) {
              answer.print(session, "id", id);
            }
            return known;
          });
    }
  }
}
