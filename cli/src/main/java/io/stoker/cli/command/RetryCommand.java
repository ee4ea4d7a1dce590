package io.stoker.cli.command;

import io.stoker.cli.outcome.CliException;
import io.stoker.common.json.Json;
import io.stoker.common.state.RequestState;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stoker retry}. */
@Command(
    name = "retry",
    description = {
      "Posts failed or cancelled requests again; prints their new ids, one a line.",
      "How a request ended is final. The dependencies that it failed of are posted again with it."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  stoker retry train-042",
      "  stoker wait $(stoker retry train-042)",
      "  stoker retry --group exp-1 --state FAILED"
    })
public final class RetryCommand implements Callable<Integer> {
  private static final Set<RequestState> ENDED_BADLY =
      EnumSet.of(RequestState.FAILED, RequestState.CANCELLED);

  @Mixin private DataOption data;

  @Parameters(paramLabel = "ID", arity = "0..*", description = "Ids of requests.")
  private List<String> ids = List.of();

  @Mixin private Chosen chosen;

  @Option(names = "--as", paramLabel = "NEW", description = "The new id, of one request.")
  private String as;

  @Option(names = "--json", description = "Print {\"id\", \"retryOf\"} a line.")
  private boolean json;

  @Override
  public Integer call() {
    if (as != null && ids.size() != 1) {
      throw CliException.usage("--as is %s, expected with one ID alone".formatted(as));
    }
    try (Session session = new Session(data)) {
      return session.each(
          chosen.ids(session, ids, ENDED_BADLY, "retry"), id -> retried(session, id));
    }
  }

  private boolean retried(Session session, String id) {
    Optional<String> retry = session.requests().retry(id, as);
    retry
        .map(made -> json ? Json.text(Map.of("id", made, "retryOf", id)) : made)
        .ifPresent(session.terminal().out()::println);
    return retry.isPresent();
  }
}
