package io.stoker.cli.command;

import io.stoker.cli.deadletters.DeadLetters;
import io.stoker.cli.outcome.CliException;
import io.stoker.cli.outcome.ExitCode;
import io.stoker.cli.rest.Fleet;
import io.stoker.cli.rest.Requests;
import io.stoker.cli.rest.RestClient;
import io.stoker.cli.status.Awaited;
import io.stoker.cli.status.StatusTail;
import io.stoker.cli.status.Waiting;
import io.stoker.cli.status.WhyWaiting;
import io.stoker.cli.terminal.ProgressLine;
import io.stoker.cli.terminal.Terminal;
import io.stoker.common.topic.Topics;
import io.stoker.kafka.KafkaAccess;
import java.util.List;
import java.util.function.Predicate;

/**
 * The means of one command: its terminal, the dispatcher and Kafka. Nothing is connected before it
 * is used.
 */
final class Session implements AutoCloseable {
  private final Terminal terminal;
  private final Connection connection;
  private RestClient rest;
  private KafkaAccess kafka;

  Session(DataOption data) {
    this.terminal = data.terminal();
    this.connection = Connection.of(data);
  }

  Terminal terminal() {
    return terminal;
  }

  Connection connection() {
    return connection;
  }

  RestClient rest() {
    if (rest == null) {
      rest = connection.rest();
    }
    return rest;
  }

  Requests requests() {
    return new Requests(rest());
  }

  Fleet fleet() {
    return new Fleet(rest());
  }

  /**
   * Changes requests one by one: one that is refused or unknown is told of, and the others follow.
   *
   * @param change of an id; false if nobody knows it
   * @return the worst exit code of all
   * @throws CliException with exit code 3 as soon as the dispatcher cannot be reached
   */
  int each(List<String> ids, Predicate<String> change) {
    int worst = ExitCode.DONE;
    for (String id : ids) {
      try {
        if (!change.test(id)) {
          throw CliException.unknownId("nobody knows a request " + id);
        }
      } catch (CliException e) {
        if (e.exitCode() == ExitCode.UNREACHABLE) {
          throw e;
        }
        terminal.note(e.getMessage());
        worst = Math.max(worst, e.exitCode());
      }
    }
    return worst;
  }

  DeadLetters deadLetters() {
    return new DeadLetters(kafka(), topics());
  }

  /** {@link Connection#kafka}, and a note if others may read its passwords. */
  KafkaAccess kafka() {
    if (kafka == null) {
      kafka = connection.kafka();
      kafka.warning().ifPresent(terminal::note);
    }
    return kafka;
  }

  Topics topics() {
    return new Topics(connection.topicPrefix());
  }

  /** Shows how far they are, and of a few why they wait. */
  Waiting.Step whileWaiting(Awaited awaited, ProgressLine progress) {
    Requests requests = requests();
    WhyWaiting why =
        new WhyWaiting(
            requests::explain,
            line -> {
              progress.close();
              terminal.note(line);
            });
    return moved -> {
      why.look(awaited.open(), awaited::newest, moved);
      progress.update(awaited.summary());
    };
  }

  StatusTail statusTail() {
    return StatusTail.open(kafka(), topics());
  }

  @Override
  public void close() {
    terminal.flush();
    if (rest != null) {
      rest.close();
    }
  }
}
