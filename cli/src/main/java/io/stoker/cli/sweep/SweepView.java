package io.stoker.cli.sweep;

import io.stoker.cli.status.Score;
import io.stoker.cli.sweep.Trials.Known;
import io.stoker.cli.terminal.Bar;
import io.stoker.cli.terminal.Format;
import io.stoker.cli.terminal.Style;
import io.stoker.cli.terminal.Table;
import io.stoker.cli.terminal.Table.Cell;
import io.stoker.cli.terminal.Terminal;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.RequestState;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.LongSupplier;

/**
 * A sweep as it goes on: drawn again in place on a terminal, one line now and then where there is
 * none.
 */
final class SweepView implements AutoCloseable {
  private static final int BAR = 30;
  private static final int WIDEST = 100;
  private static final int RUNNING = 8;
  private static final int BEST = 3;
  private static final long REDRAW_NANOS = 200_000_000L;
  private static final long PLAIN_NANOS = 5_000_000_000L;

  private final Terminal terminal;
  private final String name;
  private final Trials trials;
  private final LongSupplier nanos;
  private final long start;
  private long next;
  private int drawn;

  /**
   * @param nanos a clock that only rises
   */
  SweepView(Terminal terminal, String name, Trials trials, LongSupplier nanos) {
    this.terminal = terminal;
    this.name = name;
    this.trials = trials;
    this.nanos = nanos;
    start = nanos.getAsLong();
    next = start + (terminal.live() ? 0 : PLAIN_NANOS);
  }

  /** Shows where it stands, unless that was done a moment ago. */
  void update() {
    long now = nanos.getAsLong();
    if (now - next < 0) {
      return;
    }
    next = now + (terminal.live() ? REDRAW_NANOS : PLAIN_NANOS);
    if (terminal.live()) {
      draw();
    } else {
      terminal.note(line(OptionalInt.empty()));
    }
  }

  private void draw() {
    StringWriter text = new StringWriter();
    PrintWriter paper = new PrintWriter(text);
    Terminal into = new Terminal(paper, terminal.err(), terminal.colours(), true, true);
    OptionalInt columns = Terminal.errorColumns();
    into.out().println(line(columns));
    table(into, trials.running().stream().limit(RUNNING).toList(), columns);
    table(into, trials.best().stream().limit(BEST).toList(), columns);
    into.out().flush();
    clear();
    terminal.err().print(text);
    terminal.err().flush();
    drawn = (int) text.toString().lines().count();
  }

  private void clear() {
    if (drawn > 0) {
      terminal.err().print("\u001b[" + drawn + "A\r\u001b[J");
      drawn = 0;
    }
  }

  /** Where it stands, in a line that is not wrapped. */
  String line(OptionalInt columns) {
    int failed = trials.in(RequestState.FAILED, RequestState.REJECTED);
    int cancelled = trials.in(RequestState.CANCELLED);
    Style style =
        failed > 0 ? Style.BAD : trials.done() == trials.total() ? Style.GOOD : Style.BUSY;
    String bar = Bar.of((double) trials.done() / trials.total(), BAR);
    StringBuilder line = new StringBuilder(name).append(' ').append(bar);
    line.append(" %d of %d, %d running".formatted(trials.done(), trials.total(), running()));
    int waiting = trials.in(RequestState.WAITING);
    line.append(waiting == 0 ? "" : ", %d waiting for dependencies".formatted(waiting));
    line.append(failed == 0 ? "" : ", %d failed".formatted(failed));
    line.append(cancelled == 0 ? "" : ", %d cancelled".formatted(cancelled));
    List<Known> best = trials.best();
    line.append(best.isEmpty() ? "" : ", best " + Score.text(best.getFirst().status().score()));
    Duration time = Duration.ofNanos(nanos.getAsLong() - start);
    line.append(
        ", %02d:%02d:%02d".formatted(time.toHours(), time.toMinutesPart(), time.toSecondsPart()));
    return Terminal.unwrapped(line.toString(), columns).replace(bar, terminal.styled(style, bar));
  }

  private int running() {
    return trials.in(RequestState.PLACED, RequestState.RUNNING);
  }

  private static void table(Terminal into, List<Known> rows, OptionalInt columns) {
    if (rows.isEmpty()) {
      return;
    }
    Table table = new Table("ID", "STATE", "SCORE", "PROGRESS", "PARAMETERS");
    rows.forEach(row -> row(table, row));
    table.print(into, columns);
  }

  private static void row(Table table, Known row) {
    RequestStatus status = row.status();
    table.row(
        status.id(),
        new Cell(status.state().name(), Style.of(status.state())),
        Score.text(status.score()),
        Trials.progress(status).map(part -> Bar.of(part, 10)).orElse(null),
        Format.TABLE.cut(Sweep.shown(row.configuration()), WIDEST));
  }

  /** The best, for good. */
  void result(List<Known> best) {
    table(terminal, best, Terminal.columns());
  }

  @Override
  public void close() {
    clear();
    terminal.err().flush();
  }
}
