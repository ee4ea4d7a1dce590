package io.stoker.cli.command;

import io.stoker.cli.input.RequestFile;
import io.stoker.cli.input.Submission;
import io.stoker.cli.outcome.ExitCode;
import io.stoker.cli.rest.Requests;
import io.stoker.cli.status.Awaited;
import io.stoker.cli.status.StatusTail;
import io.stoker.cli.status.Waiting;
import io.stoker.cli.submit.BulkSubmitter;
import io.stoker.cli.submit.Refusals;
import io.stoker.cli.terminal.ProgressLine;
import io.stoker.common.json.Json;
import io.stoker.kafka.KafkaAccess;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stoker submit}. */
@Command(
    name = "submit",
    description = {
      "Submits requests and prints their ids, one a line.",
      "The file holds JSON (an object, an array, or an object a line) or YAML. If one request is",
      "wrong, none is sent."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  stoker submit requests.jsonl",
      "  echo '{\"id\": \"hello\", \"command\": [\"echo\", \"hi\"]}' | stoker submit - --wait",
      "  stoker submit sweep.yaml --wait --json | jq -r '[.id, .score] | @tsv'"
    })
public final class SubmitCommand implements Callable<Integer> {
  @Mixin private DataOption data;

  @Parameters(paramLabel = "FILE", description = "A file of requests; - is standard input.")
  private String file;

  @Option(
      names = "--wait",
      description = "Wait until all have ended: exit code 0 if all SUCCEEDED, else 1.")
  private boolean wait;

  @Option(
      names = "--json",
      description = "Print {\"id\"} a line; with --wait each final status, as it ends.")
  private boolean json;

  @Override
  public Integer call() {
    List<Submission> requests = RequestFile.read(file, System.in);
    try (Session session = new Session(data)) {
      if (wait) {
        return submitAndWait(session, requests);
      }
      if (Requests.fitOnePost(requests)) {
        post(session, requests);
      } else {
        BulkSubmitter.submit(session.kafka(), session.topics(), requests);
        requests.forEach(request -> printId(session, request.id()));
      }
      return ExitCode.DONE;
    }
  }

  private int submitAndWait(Session session, List<Submission> requests) {
    List<String> ids = requests.stream().map(Submission::id).toList();
    KafkaAccess kafka = session.kafka();
    Awaited awaited = Awaited.ids(ids);
    try (ProgressLine progress = new ProgressLine(session.terminal());
        StatusTail tail = StatusTail.openWithDeadLetters(kafka, session.topics())) {
      if (Requests.fitOnePost(requests)) {
        post(session, requests);
      } else {
        var written = BulkSubmitter.submit(kafka, session.topics(), requests);
        tail.readDeadLetters(new Refusals(session.topics().requests(), written)::read);
        ids.forEach(id -> printIdUnlessJson(session, id));
      }
      session.terminal().flush();
      new Waiting(
              tail,
              awaited,
              status -> Ends.tell(session.terminal(), progress, status, json),
              session.whileWaiting(awaited, progress))
          .await(Optional.empty());
      return awaited.exitCode();
    }
  }

  private void post(Session session, List<Submission> requests) {
    session.requests().post(requests);
    requests.forEach(request -> printIdUnlessJson(session, request.id()));
  }

  private void printIdUnlessJson(Session session, String id) {
    if (!json || !wait) {
      printId(session, id);
    }
  }

  private void printId(Session session, String id) {
    session.terminal().out().println(json ? Json.text(Map.of("id", id)) : id);
  }
}
