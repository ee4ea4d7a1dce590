package io.stoker.cli.command;

import io.stoker.common.json.Json;
import java.util.Map;
import picocli.CommandLine.Option;

/** The answer of a command that has done something to what is named: the name. */
final class NamedAnswer {
  @Option(names = "--json", description = "Print what is answered as a JSON object a line.")
  private boolean json;

  /**
   * @param what the name is of, such as {@code host}
   */
  void print(Session session, String what, String name) {
    session.terminal().out().println(json ? Json.text(Map.of(what, name)) : name);
  }
}
