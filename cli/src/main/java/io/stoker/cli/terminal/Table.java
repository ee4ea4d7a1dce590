package io.stoker.cli.terminal;

import io.stoker.common.text.PlainText;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Aligned columns under headings. Columns that are empty in every row are left out, numbers stand
 * at the right.
 */
public final class Table {
  private static final String GAP = "  ";

  /** Of a column that is cut. */
  private static final int NARROWEST = 10;

  /**
   * One field of a row, whatever a request, a job or a host put into it: no control characters,
   * which a terminal would obey, and one line.
   */
  public record Cell(String text, Style style) {
    public Cell {
      text = PlainText.of(text).replace('\n', ' ').replace('\t', ' ');
    }

    /** As it is. */
    public Cell(String text) {
      this(text, Style.PLAIN);
    }

    public static Cell of(Object value) {
      return new Cell(value == null ? "" : value.toString(), Style.PLAIN);
    }

    private boolean isNumber() {
      return text.matches("-?\\d[\\d.,:]*( ?[a-zA-Z%°]+)?");
    }
  }

  private final List<String> headings;
  private final List<List<Cell>> rows = new ArrayList<>();
  private final Set<String> shown;
  private final List<String> lesser;

  public Table(String... headings) {
    this(List.of(headings), new HashSet<>(List.of(headings)), List.of());
  }

  private Table(List<String> headings, Set<String> shown, List<String> lesser) {
    this.headings = headings;
    this.shown = shown;
    this.lesser = lesser;
  }

  /** The same, still without rows, of which only these columns are shown. */
  public Table only(String... some) {
    return new Table(headings, Set.of(some), lesser);
  }

  /**
   * The same, still without rows, of which these columns are left out, one after the other, where a
   * line has no room for all though texts are cut. It is said which: {@code -o wide} shows them.
   */
  public Table lesser(String... some) {
    return new Table(headings, shown, List.of(some));
  }

  public boolean isEmpty() {
    return rows.isEmpty();
  }

  /**
   * @param values as many as headings; a {@link Cell}, or anything, whose text is shown; null shows
   *     nothing
   */
  public Table row(Object... values) {
    if (values.length != headings.size()) {
      throw new IllegalArgumentException(
          "%d values for %d columns".formatted(values.length, headings.size()));
    }
    rows.add(
        Arrays.stream(values)
            .map(value -> value instanceof Cell cell ? cell : Cell.of(value))
            .toList());
    return this;
  }

  public void print(Terminal terminal) {
    print(terminal, Terminal.columns());
  }

  /** Prints all of its columns, and nothing cut. */
  public void printWhole(Terminal terminal) {
    print(terminal, IntStream.range(0, headings.size()).toArray(), OptionalInt.empty());
  }

  /**
   * Prints it.
   *
   * @param widest characters of a line at most, as far as texts can be cut; empty for any
   */
  public void print(Terminal terminal, OptionalInt widest) {
    int[] used = IntStream.range(0, headings.size()).filter(this::isUsed).toArray();
    int[] columns = widest.isEmpty() ? used : fitting(used, widest.getAsInt());
    print(terminal, columns, widest);
    String leftOut =
        IntStream.of(used)
            .filter(column -> IntStream.of(columns).noneMatch(one -> one == column))
            .mapToObj(headings::get)
            .collect(Collectors.joining(", "));
    if (!leftOut.isEmpty()) {
      terminal.note("no room for " + leftOut + ": -o wide shows all");
    }
  }

  private int[] fitting(int[] used, int widest) {
    int[] columns = used;
    for (String next : lesser) {
      if (narrowest(columns) > widest) {
        columns =
            IntStream.of(columns).filter(column -> !headings.get(column).equals(next)).toArray();
      }
    }
    return columns;
  }

  /** How wide a line is once its texts are cut. */
  private int narrowest(int[] columns) {
    return GAP.length() * (columns.length - 1)
        + IntStream.of(columns)
            .map(
                column ->
                    isWhole(column, columns) ? width(column) : Math.min(NARROWEST, width(column)))
            .sum();
  }

  /** Numbers are; so is the first column, by which a row is named, as long as others give way. */
  private boolean isWhole(int column, int[] columns) {
    return column == columns[0] || isNumeric(column);
  }

  private void print(Terminal terminal, int[] columns, OptionalInt widest) {
    List<Cell> top = headings.stream().map(text -> new Cell(text, Style.HEADING)).toList();
    int[] widths = widths(columns, widest);
    terminal.out().println(line(top, columns, widths, terminal));
    rows.forEach(row -> terminal.out().println(line(row, columns, widths, terminal)));
  }

  /** The widest column gives way first, and that which names the row last; numbers stay whole. */
  private int[] widths(int[] columns, OptionalInt widest) {
    int[] widths = IntStream.range(0, headings.size()).map(this::width).toArray();
    int over =
        widest.isEmpty()
            ? 0
            : IntStream.of(columns).map(column -> widths[column]).sum()
                + GAP.length() * (columns.length - 1)
                - widest.getAsInt();
    while (over > 0) {
      int largest =
          IntStream.of(columns)
              .filter(column -> !isNumeric(column) && widths[column] > NARROWEST)
              .boxed()
              .max(
                  Comparator.<Integer, Boolean>comparing(column -> column != columns[0])
                      .thenComparing(column -> widths[column]))
              .orElse(-1);
      if (largest < 0) {
        return widths;
      }
      widths[largest]--;
      over--;
    }
    return widths;
  }

  private String line(List<Cell> cells, int[] columns, int[] widths, Terminal terminal) {
    StringBuilder line = new StringBuilder();
    for (int column : columns) {
      Cell cell = cells.get(column);
      String shown = Columns.cut(cell.text(), widths[column]);
      String padding = " ".repeat(widths[column] - Columns.of(shown));
      String text = shown.isEmpty() ? "" : terminal.styled(cell.style(), shown);
      line.append(line.isEmpty() ? "" : GAP);
      line.append(isNumeric(column) ? padding + text : text + padding);
    }
    return line.toString().stripTrailing();
  }

  private boolean isUsed(int column) {
    return shown.contains(headings.get(column))
        && (rows.isEmpty() || rows.stream().anyMatch(row -> !row.get(column).text().isEmpty()));
  }

  private boolean isNumeric(int column) {
    List<Cell> filled =
        rows.stream().map(row -> row.get(column)).filter(cell -> !cell.text().isEmpty()).toList();
    return !filled.isEmpty() && filled.stream().allMatch(Cell::isNumber);
  }

  private int width(int column) {
    return IntStream.concat(
            IntStream.of(headings.get(column).length()),
            rows.stream().mapToInt(row -> Columns.of(row.get(column).text())))
        .max()
        .getAsInt();
  }
}
