package io.stoker.cli.terminal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Aligned columns under headings. Columns that are empty in every row are left out, numbers stand
 * at the right.
 */
public final class Table {
  private static final String GAP = "  ";

  /** One field of a row. */
  public record Cell(String text, Style style) {
    public static Cell of(Object value) {
      return new Cell(value == null ? "" : value.toString(), Style.PLAIN);
    }

    private boolean isNumber() {
      return text.matches("-?\\d[\\d.,:]*( ?[a-zA-Z%°]+)?");
    }
  }

  private final List<String> headings;
  private final List<List<Cell>> rows = new ArrayList<>();

  public Table(String... headings) {
    this.headings = List.of(headings);
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
    int[] columns = IntStream.range(0, headings.size()).filter(this::isUsed).toArray();
    List<Cell> top = headings.stream().map(text -> new Cell(text, Style.HEADING)).toList();
    terminal.out().println(line(top, columns, terminal));
    rows.forEach(row -> terminal.out().println(line(row, columns, terminal)));
  }

  private String line(List<Cell> cells, int[] columns, Terminal terminal) {
    StringBuilder line = new StringBuilder();
    for (int column : columns) {
      Cell cell = cells.get(column);
      String padding = " ".repeat(width(column) - cell.text().length());
      String text = cell.text().isEmpty() ? "" : terminal.styled(cell.style(), cell.text());
      line.append(line.isEmpty() ? "" : GAP);
      line.append(isNumeric(column) ? padding + text : text + padding);
    }
    return line.toString().stripTrailing();
  }

  private boolean isUsed(int column) {
    return rows.isEmpty() || rows.stream().anyMatch(row -> !row.get(column).text().isEmpty());
  }

  private boolean isNumeric(int column) {
    List<Cell> filled =
        rows.stream().map(row -> row.get(column)).filter(cell -> !cell.text().isEmpty()).toList();
    return !filled.isEmpty() && filled.stream().allMatch(Cell::isNumber);
  }

  private int width(int column) {
    return IntStream.concat(
            IntStream.of(headings.get(column).length()),
            rows.stream().mapToInt(row -> row.get(column).text().length()))
        .max()
        .getAsInt();
  }
}
