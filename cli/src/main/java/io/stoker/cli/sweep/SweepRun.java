package io.stoker.cli.sweep;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.input.Submission;
import io.stoker.cli.kafka.LostConnection;
import io.stoker.cli.outcome.CliException;
import io.stoker.cli.outcome.ExitCode;
import io.stoker.cli.rest.Groups;
import io.stoker.cli.rest.Requests;
import io.stoker.cli.rest.Watched;
import io.stoker.cli.status.Awaited;
import io.stoker.cli.status.StatusTail;
import io.stoker.cli.submit.BulkSubmitter;
import io.stoker.cli.submit.Refusals;
import io.stoker.cli.sweep.Sweep.Trial;
import io.stoker.cli.terminal.Terminal;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.topic.Topics;
import io.stoker.kafka.KafkaAccess;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Posts a sweep, and follows it to its end. */
public final class SweepRun {
  private static final long ASK_AGAIN_MILLIS = 200;

  private final Groups groups;
  private final Requests requests;
  private final KafkaAccess kafka;
  private final Topics topics;
  private final Terminal terminal;
  private volatile String name;
  private volatile boolean stopping;

  public SweepRun(
      Groups groups, Requests requests, KafkaAccess kafka, Topics topics, Terminal terminal) {
    this.groups = groups;
    this.requests = requests;
    this.kafka = kafka;
    this.topics = topics;
    this.terminal = terminal;
  }

  /**
   * Runs it.
   *
   * @param follow whether its end is waited for; else until all of it has arrived
   * @param showBest whether the best is printed at the end
   * @param ended is told of each end
   * @return the group as it stands then
   */
  public JsonNode run(Sweep sweep, boolean follow, boolean showBest, Consumer<RequestStatus> ended)
      throws InterruptedException {
    try (StatusTail tail = StatusTail.openWithDeadLetters(kafka, topics)) {
      create(sweep);
      String group = name;
      List<Trial> trials = sweep.requests(group);
      boolean max = !"min".equals(sweep.plan().at("/experiment/objective").asText());
      Trials known = new Trials(trials, max);
      Awaited awaited = Awaited.ids(trials.stream().map(Trial::id).toList());
      try (SweepView view = new SweepView(terminal, group, known, System::nanoTime)) {
        post(trials.stream().map(Trial::request).toList(), tail);
        new Following(tail, awaited, known, view, ended).untilArrived();
        // Closed before all had arrived, it could end with what had.
        groups.close(group);
        if (follow) {
          new Following(tail, awaited, known, view, ended).untilEnded();
        }
        view.close();
        if (follow && showBest) {
          view.result(known.best().stream().limit(1).toList());
        }
      } catch (LostConnection e) {
        throw e.with(
            "; it goes on: stoker group '%s' --close --watch awaits its end".formatted(group));
      }
      return follow ? over(group) : groups.find(group).orElseThrow();
    }
  }

  void create(Sweep sweep) {
    name = groups.create(sweep.name(), sweep.plan());
  }

  void post(List<Submission> all, StatusTail tail) {
    if (!Requests.fitOnePost(all)) {
      var written = BulkSubmitter.submit(kafka, topics, all);
      tail.readDeadLetters(new Refusals(topics.requests(), written)::read);
      return;
    }
    try {
      requests.post(all);
    } catch (CliException e) {
      if (e.exitCode() == ExitCode.USAGE) {
        groups.close(name); // there is nothing in it, and nothing comes
      }
      throw e;
    }
  }

  private record Following(
      StatusTail tail,
      Awaited awaited,
      Trials known,
      SweepView view,
      Consumer<RequestStatus> ended) {
    void untilArrived() {
      while (known.arrived() < known.total()) {
        tail.poll(Duration.ofSeconds(1)).forEach(this::take);
        view.update();
      }
    }

    private void take(RequestStatus status) {
      known.know(status);
      awaited.apply(status).ifPresent(ended);
    }

    void untilEnded() {
      while (!awaited.isOver()) {
        tail.poll(Duration.ofSeconds(1)).forEach(this::take);
        view.update();
      }
    }
  }

  /** All of its requests have ended: the experiment follows within a second. */
  private JsonNode over(String group) throws InterruptedException {
    Watched<JsonNode> found = new Watched<>(() -> groups.find(group).orElseThrow());
    while (found.last().at("/experiment/endedAt").isMissingNode()) {
      TimeUnit.MILLISECONDS.sleep(ASK_AGAIN_MILLIS);
      found.again(terminal::note);
    }
    return found.last();
  }

  /**
   * Has all of it ended, as soon as there is something to end; may be called from any thread.
   *
   * @throws CliException if the dispatcher was not told, with what else ends it
   */
  public Optional<String> stop() {
    String group = name;
    if (group == null) {
      return Optional.empty();
    }
    try {
      groups.stop(group);
    } catch (CliException e) {
      throw e.with("; it goes on: stoker group '%s' --stop ends it".formatted(group));
    }
    stopping = true;
    return Optional.of(group);
  }

  /** Whether its end was asked for. */
  public boolean stopped() {
    return stopping;
  }
}
