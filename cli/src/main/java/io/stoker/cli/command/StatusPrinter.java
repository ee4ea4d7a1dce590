package io.stoker.cli.command;

import io.stoker.cli.status.Score;
import io.stoker.cli.status.WhyWaiting;
import io.stoker.cli.terminal.Format;
import io.stoker.cli.terminal.Style;
import io.stoker.cli.terminal.Table;
import io.stoker.cli.terminal.Table.Cell;
import io.stoker.cli.terminal.Terminal;
import io.stoker.common.json.Json;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.message.RequestStatus.Member;
import io.stoker.common.text.PlainText;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Shows statuses to people. */
record StatusPrinter(Terminal terminal) {
  private static final int LONGEST_NOTE = 80;

  /**
   * One row a request.
   *
   * @param format a table or a wide one
   */
  void table(Collection<RequestStatus> statuses, Format format) {
    Table table =
        new Table("ID", "STATE", "QUEUE", "GROUP", "HOST", "ATTEMPT", "EXIT", "SCORE", "NOTE");
    for (RequestStatus status : statuses) {
      table.row(
          status.id(),
          state(status),
          status.queue(),
          status.group(),
          host(status),
          status.attempt(),
          status.exitCode(),
          Score.text(status.score()),
          inATable(note(status), format));
    }
    format.print(terminal, table);
  }

  /** One line a field, with everything that is known. */
  void block(RequestStatus status) {
    line("id", status.id());
    put("state", terminal.styled(Style.of(status.state()), status.state().name()));
    line("code", status.code());
    line("reason", status.reason());
    line("progress", json(status.progress()));
    line("result", json(status.result()));
    line("score", Score.text(status.score()));
    line("exit code", status.exitCode());
    if (status.members() == null) {
      line("host", status.host());
      line("devices", devices(status.host(), status.devices()));
    } else {
      status.members().forEach(this::member);
    }
    line("attempt", status.attempt());
    line("took", Took.text(status.usage()));
    line("ran", status.usage() == null ? null : status.usage().kept());
    line("job", status.job());
    line("queue", status.queue());
    line("group", status.group());
    line("note", sharing(status).collect(Collectors.joining(", ")));
    line("sent by", status.sentBy());
    line("posted", status.postedAt());
    line("queued", status.queuedAt());
    line("started", status.startedAt());
    line("ended", status.endedAt());
    if (status.endedAt() == null) {
      line("at", status.at());
    }
  }

  private void member(Member member) {
    line(
        "rank " + member.rank(),
        member.devices() == null || member.devices().isEmpty()
            ? member.host()
            : devices(member.host(), member.devices()));
  }

  /** Of a job on several hosts the first, and how many more. */
  static String host(RequestStatus status) {
    return status.members() == null
        ? status.host()
        : status.host() + " +" + (status.members().size() - 1);
  }

  /** What else is worth knowing. */
  static String note(RequestStatus status) {
    String reason = status.reason() == null ? "" : status.reason().replaceAll("\\s+", " ");
    boolean says = status.code() != null && !status.code().name().equals(status.state().name());
    String code = says ? status.code().name() : "";
    String held = status.state().terminal() ? "" : WhyWaiting.held(status.progress()).orElse("");
    return Stream.concat(sharing(status), Stream.of(code, reason, held))
        .filter(text -> !text.isBlank())
        .collect(Collectors.joining(", "));
  }

  static String inATable(String note, Format format) {
    return format.cut(note, LONGEST_NOTE);
  }

  static Cell state(RequestStatus status) {
    return new Cell(status.state().name(), Style.of(status.state()));
  }

  private static Stream<String> sharing(RequestStatus status) {
    String of = status.answeredBy() == null ? "" : ": work of " + status.answeredBy().request();
    String sharing = status.cached() ? "cached" + of : status.shared() ? "shared" + of : "";
    boolean ending = status.stopRequested() && !status.state().terminal();
    return Stream.of(sharing, ending ? "stop requested" : "").filter(text -> !text.isEmpty());
  }

  /** As their host calls them, such as {@code host-1:0}. */
  static String devices(String host, List<String> devices) {
    return devices == null
        ? ""
        : devices.stream().map(device -> host + ":" + device).collect(Collectors.joining(" "));
  }

  private static String json(Object value) {
    return value == null ? "" : Json.text(value);
  }

  /** One field, without what a terminal would obey; nothing where there is no value. */
  void line(String name, Object value) {
    if (value != null && !value.toString().isEmpty()) {
      put(PlainText.of(name), PlainText.of(value.toString()));
    }
  }

  private void put(String name, String value) {
    terminal.out().printf("%-10s%s%n", name, value);
  }
}
