package io.stoker.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.outcome.CliException;
import io.stoker.cli.outcome.ExitCode;
import io.stoker.cli.rest.Requests;
import io.stoker.cli.run.JobOutput;
import io.stoker.cli.run.LineOutput;
import io.stoker.cli.terminal.Terminals;
import io.stoker.common.json.Json;
import io.stoker.common.message.LogChunk;
import io.stoker.common.state.RequestState;
import io.stoker.common.text.PlainText;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stoker logs}. */
@Command(
    name = "logs",
    description = {
      "Prints the output of requests' jobs.",
      "What a job wrote to standard error goes to standard error. Each line of a gang begins with the",
      "rank and the host of the member that wrote it, each of several requests with its id. Lines",
      "that begin with #stoker: are for Stoker, and left out."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  stoker logs train-042",
      "  stoker logs -f train-042 > train.log",
      "  stoker logs --tail 20 --timestamps train-042",
      "  stoker logs --group exp-1 --failed --tail 5",
      "  stoker logs --rank 1 gang-7"
    })
public final class LogsCommand implements Callable<Integer> {
  @Mixin private DataOption data;

  @Parameters(paramLabel = "ID", arity = "0..*", description = "Ids of requests.")
  private List<String> ids = List.of();

  @Option(names = "--group", paramLabel = "G", description = "Of all requests of a group.")
  private String group;

  @Option(
      names = "--failed",
      description = "Of those that have FAILED; without ids or --group of all.")
  private boolean failed;

  @Option(
      names = {"-f", "--follow"},
      description = "Go on until the job has ended.")
  private boolean follow;

  @Option(
      names = {"-n", "--tail"},
      paramLabel = "N",
      description = "Of each, the last N lines.")
  private Long tail;

  @Option(
      names = "--since",
      paramLabel = "D",
      converter = WhenConverter.class,
      description = "What was written in the last 5m, 2h, or since a time in ISO 8601.")
  private Instant since;

  @Option(names = "--timestamps", description = "Begin each line with its time.")
  private boolean timestamps;

  @Option(names = "--attempt", paramLabel = "N", description = "Of one attempt alone.")
  private Integer attempt;

  @Option(
      names = "--rank",
      paramLabel = "N",
      description = "Of a gang, that member's output alone, as it was written.")
  private Integer rank;

  @Option(
      names = "--raw",
      description = "As it was written: with the lines for Stoker, and what a terminal obeys.")
  private boolean raw;

  @Option(names = "--json", description = "One piece a line, as on the logs topic.")
  private boolean json;

  @Override
  public Integer call() throws InterruptedException {
    refuse("--rank", rank == null ? null : rank.longValue(), 0);
    refuse("--attempt", attempt == null ? null : attempt.longValue(), 1);
    refuse("--tail", tail, 0);
    if (json && tail != null) {
      throw CliException.usage("--tail counts lines, and --json prints pieces");
    }
    try (Session session = new Session(data)) {
      List<String> wanted = wanted(session);
      if (wanted.isEmpty()) {
        session.terminal().note("no such requests");
      }
      return follow && wanted.size() > 1
          ? together(session, wanted)
          : wanted.stream().mapToInt(id -> print(session, id, wanted.size() > 1)).max().orElse(0);
    }
  }

  private static void refuse(String option, Long given, long least) {
    if (given != null && given < least) {
      throw CliException.usage(
          "%s is %d, expected a number from %d".formatted(option, given, least));
    }
  }

  private List<String> wanted(Session session) {
    if (!ids.isEmpty() && group != null || ids.isEmpty() && group == null && !failed) {
      throw CliException.usage("logs needs either ids, or --group or --failed");
    }
    if (!ids.isEmpty()) {
      return failed ? ids.stream().filter(id -> hasFailed(session.requests(), id)).toList() : ids;
    }
    List<RequestState> states = failed ? List.of(RequestState.FAILED) : List.of();
    Requests.Filter all = Requests.Filter.all(Integer.MAX_VALUE).with("group", group).in(states);
    List<JsonNode> found = session.requests().list(all).requests();
    return found.reversed().stream().map(one -> one.path("id").asText()).toList();
  }

  private static boolean hasFailed(Requests requests, String id) {
    return requests.find(id).filter(one -> one.state() == RequestState.FAILED).isPresent();
  }

  private int together(Session session, List<String> wanted) throws InterruptedException {
    int exitCode = ExitCode.DONE;
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Integer>> all =
          wanted.stream().map(id -> threads.submit(() -> print(session, id, true))).toList();
      for (Future<Integer> one : all) {
        exitCode = Math.max(exitCode, one.get());
      }
    } catch (ExecutionException e) {
      if (e.getCause() instanceof CliException known) {
        throw known;
      }
      throw CliException.failed(e.getCause().toString(), e.getCause());
    }
    return exitCode;
  }

  private int print(Session session, String id, boolean several) {
    Requests requests = session.requests();
    boolean known;
    if (json) {
      known = read(requests, id, follow, chunk -> show(session, chunk));
    } else if (several || timestamps || tail != null) {
      known = lines(requests, id, several ? id + ": " : "");
    } else {
      JobOutput output =
          new JobOutput(System.out, System.err, rank == null, raw).on(Terminals.found());
      known = read(requests, id, follow, output::write);
      output.end();
    }
    if (!known) {
      session.terminal().note("nobody knows a request " + id);
    }
    return known ? ExitCode.DONE : ExitCode.UNKNOWN_ID;
  }

  private boolean lines(Requests requests, String id, String prefix) {
    boolean last = tail != null && !follow;
    LineOutput.Wish wish =
        new LineOutput.Wish(prefix, timestamps, raw, rank == null, last ? tail : -1);
    LineOutput output = new LineOutput(wish, System.out, System.err).on(Terminals.found());
    if (tail != null && follow) {
      output.skipping(Math.max(0, count(requests, id) - tail));
    }
    boolean known = read(requests, id, follow, output::write);
    output.end();
    return known;
  }

  /** How many lines there are by now. */
  private long count(Requests requests, String id) {
    LineOutput all =
        new LineOutput(new LineOutput.Wish("", false, raw, false, 0), System.out, System.err);
    read(requests, id, false, all::write);
    return all.lines();
  }

  private boolean read(Requests requests, String id, boolean on, Consumer<LogChunk> reader) {
    return requests.logs(
        id,
        on,
        Optional.ofNullable(rank),
        chunk -> {
          boolean late = since == null || chunk.at() >= since.toEpochMilli();
          boolean wanted = attempt == null || attempt == chunk.attempt() || chunk.ofDispatcher();
          if (late && wanted) {
            reader.accept(chunk);
          }
        });
  }

  private static void show(Session session, LogChunk chunk) {
    synchronized (session) {
      String line = Json.text(chunk);
      // In JSON the code of a character is that character.
      session.terminal().out().println(Terminals.found().out() ? PlainText.of(line) : line);
      session.terminal().flush();
    }
  }
}
