package io.stoker.cli.terminal;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.json.Json;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** The formats in which a command prints. */
public enum Format {
  /** For people. */
  TABLE,
  /** For people, with all columns, and nothing cut. */
  WIDE,
  /** One object a line. */
  JSON,
  /** One document each. */
  YAML,
  /** The names alone, one a line. */
  NAME;

  /**
   * Prints them unless they are to be shown to people.
   *
   * @param name of one of them
   * @return whether it did
   */
  public boolean print(Terminal terminal, List<JsonNode> all, Function<JsonNode, String> name) {
    if (this == TABLE || this == WIDE) {
      return false;
    }
    for (JsonNode one : all) {
      switch (this) {
        case JSON -> terminal.out().println(Json.text(one));
        case YAML -> terminal.out().print(YamlOutput.document(one));
        default -> terminal.out().println(name.apply(one));
      }
    }
    return true;
  }

  /**
   * Prints what a command answers that has done something: the name of what it was done to.
   *
   * @param what the name is of, such as {@code group}
   */
  public void printName(Terminal terminal, String what, String name) {
    if (!print(terminal, List.of(Json.tree(Map.of(what, name))), one -> name)) {
      terminal.out().println(name);
    }
  }

  /**
   * A text as it is shown to people.
   *
   * @param most columns of a terminal, 1 or more, unless nothing is cut
   */
  public String cut(String text, int most) {
    return this == WIDE ? text : Columns.cut(text, most);
  }

  /** Prints a table as it is to be shown to people. */
  public void print(Terminal terminal, Table table) {
    if (this == WIDE) {
      table.printWhole(terminal);
    } else {
      table.print(terminal);
    }
  }
}
