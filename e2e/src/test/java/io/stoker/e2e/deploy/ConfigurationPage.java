package io.stoker.e2e.deploy;

import io.stoker.e2e.Checkout;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** docs/configuration.md, read as tables: one row a key or variable, under the page's headings. */
final class ConfigurationPage {
  static final String QUARKUS = "Quarkus' own keys";

  private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");

  private final List<Row> rows = new ArrayList<>();

  /**
   * A row.
   *
   * @param section its heading
   * @param names what stands in backquotes in its first cell: a key, or variables
   * @param second what stands so in its second cell: a key's variable
   * @param third what stands so in its third cell: a key's default, none if it is told in words
   * @param text all of it
   */
  record Row(
      String section,
      List<String> names,
      Optional<String> second,
      Optional<String> third,
      String text) {
    boolean isKey() {
      return names.size() == 1 && names.getFirst().contains(".");
    }

    /** The environment variables that it documents. */
    List<String> variables() {
      return isKey() ? second.stream().toList() : names;
    }
  }

  private ConfigurationPage() {}

  static ConfigurationPage read() {
    ConfigurationPage page = new ConfigurationPage();
    String section = "";
    try {
      for (String line : Files.readAllLines(Checkout.root().resolve("docs/configuration.md"))) {
        if (line.startsWith("## ")) {
          section = line.substring(3).strip();
        } else if (line.startsWith("| `")) {
          String[] cells = line.split("\\|");
          Optional<String> third = cells.length > 4 ? first(cells[3]) : Optional.empty();
          page.rows.add(new Row(section, all(cells[1]), first(cells[2]), third, line));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return page;
  }

  /** All rows that document a key. */
  List<Row> keys() {
    return rows.stream().filter(Row::isKey).toList();
  }

  /** Keys of a section with their defaults. */
  TreeMap<String, Optional<String>> defaults(String section) {
    TreeMap<String, Optional<String>> defaults = new TreeMap<>();
    keys().stream()
        .filter(row -> row.section().equals(section))
        .forEach(row -> defaults.put(row.names().getFirst(), row.third()));
    return defaults;
  }

  /** Environment variables of a section. */
  Set<String> variables(String section) {
    Set<String> variables = new TreeSet<>();
    rows.stream()
        .filter(row -> row.section().equals(section))
        .forEach(row -> variables.addAll(row.variables()));
    return variables;
  }

  /** MicroProfile's rule for the variable of a key. */
  static String variable(String key) {
    return key.replaceAll("[^A-Za-z0-9]", "_").toUpperCase(Locale.ROOT);
  }

  private static Optional<String> first(String cell) {
    return all(cell).stream().findFirst();
  }

  private static List<String> all(String cell) {
    Matcher quoted = QUOTED.matcher(cell);
    List<String> found = new ArrayList<>();
    while (quoted.find()) {
      found.add(quoted.group(1));
    }
    return found;
  }
}
