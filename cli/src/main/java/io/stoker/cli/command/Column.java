package io.stoker.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.status.Score;
import io.stoker.cli.terminal.Format;
import io.stoker.cli.terminal.Table.Cell;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.size.Durations;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** The columns of a list of requests. */
enum Column {
  ID,
  STATE,
  AGE,
  ELAPSED,
  QUEUE,
  GROUP,
  USER,
  HOST,
  ATTEMPT,
  EXIT,
  SCORE,
  COMMAND,
  NOTE,
  DEVICES,
  POSTED,
  STARTED,
  ENDED,
  JOB;

  /** What is shown where nobody asks for more. */
  static final List<Column> USUAL = List.copyOf(EnumSet.range(ID, NOTE));

  /** Of these, what is left out first where there is no room for all. */
  static final List<Column> LESSER =
      List.of(ATTEMPT, QUEUE, USER, EXIT, AGE, GROUP, HOST, COMMAND, ELAPSED);

  /**
   * A request as it is listed.
   *
   * @param tree as it was answered
   */
  record Listed(RequestStatus status, JsonNode tree, Instant now) {
    private Optional<Instant> time(String field) {
      try {
        return Optional.ofNullable(tree.path(field).textValue()).map(Instant::parse);
      } catch (DateTimeParseException e) {
        return Optional.empty();
      }
    }

    /** Since it was posted. */
    Optional<Duration> age() {
      return time("postedAt").map(posted -> Duration.between(posted, now));
    }

    /** How long its job has run, or runs. */
    Optional<Duration> elapsed() {
      if (tree.path("runtime").isNumber()) {
        return Optional.of(Duration.ofMillis((long) (tree.path("runtime").doubleValue() * 1_000)));
      }
      boolean runs = !status.state().terminal();
      return time("startedAt").filter(any -> runs).map(start -> Duration.between(start, now));
    }
  }

  Object of(Listed listed) {
    return of(listed, Format.TABLE);
  }

  /**
   * @param format a table or a wide one
   */
  Object of(Listed listed, Format format) {
    RequestStatus status = listed.status();
    return switch (this) {
      case ID -> status.id();
      case STATE -> StatusPrinter.state(status);
      case AGE -> new Cell(listed.age().map(Durations::text).orElse(""));
      case ELAPSED -> new Cell(listed.elapsed().map(Durations::text).orElse(""));
      case QUEUE -> status.queue();
      case GROUP -> status.group();
      case USER -> listed.tree().path("user").asText();
      case HOST -> StatusPrinter.host(status);
      case ATTEMPT -> status.attempt();
      case EXIT -> status.exitCode();
      case SCORE -> Score.text(status.score());
      case COMMAND -> StatusPrinter.inATable(listed.tree().path("command").asText(), format);
      case NOTE -> StatusPrinter.inATable(StatusPrinter.note(status), format);
      case DEVICES -> StatusPrinter.devices(status.host(), status.devices());
      case POSTED -> status.postedAt();
      case STARTED -> status.startedAt();
      case ENDED -> status.endedAt();
      case JOB -> status.job();
    };
  }

  /** What has nothing to compare by comes last. */
  Comparator<Listed> order() {
    return switch (this) {
      case AGE -> nullsLast(one -> one.age().orElse(null));
      case ELAPSED -> nullsLast(one -> one.elapsed().orElse(null));
      case STATE -> nullsLast(one -> one.status().state());
      case ATTEMPT -> nullsLast(one -> one.status().attempt());
      case EXIT -> nullsLast(one -> one.status().exitCode());
      case SCORE -> nullsLast(one -> one.status().score());
      default -> nullsLast(one -> String.valueOf(of(one)));
    };
  }

  private static <T extends Comparable<T>> Comparator<Listed> nullsLast(Function<Listed, T> by) {
    return Comparator.comparing(by, Comparator.nullsLast(Comparator.naturalOrder()));
  }
}
