package io.stoker.cli.command;

import io.stoker.cli.deadletters.DeadLetters;
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
