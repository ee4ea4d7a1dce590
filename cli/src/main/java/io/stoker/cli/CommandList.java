package io.stoker.cli;

import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Column;
import picocli.CommandLine.Help.Column.Overflow;
import picocli.CommandLine.Help.TextTable;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * The commands in {@code stoker --help}, by what they are for, each with the first thing it does.
 */
final class CommandList implements IHelpSectionRenderer {
  private static final int INDENT = 2;

  /**
   * Commands for one purpose.
   *
   * @param names in the order in which they are shown
   */
  record Section(String title, List<String> names) {}

  static final List<Section> SECTIONS =
      List.of(
          new Section(
              "A stack on this machine", List.of("demo", "up", "info", "open", "down", "doctor")),
          new Section(
              "Requests",
              List.of(
                  "run",
                  "submit",
                  "status",
                  "wait",
                  "logs",
                  "results",
                  "list",
                  "show",
                  "explain",
                  "cancel",
                  "retry",
                  "priority",
                  "forget",
                  "passive",
                  "finish",
                  "dead-letters")),
          new Section("Groups and experiments", List.of("group", "sweep")),
          new Section(
              "Hosts",
              List.of("top", "hosts", "cordon", "drain", "uncordon", "policy", "devices", "pool")),
          new Section("What decides who runs", List.of("queues", "kinds", "reload", "estimates")),
          new Section("Who you are", List.of("login", "context", "token", "audit")),
          new Section(
              "Running it in production",
              List.of(
                  "dispatcher",
                  "agent",
                  "topics",
                  "acls",
                  "migrate",
                  "backup",
                  "restore",
                  "bench",
                  "generate-completion")));

  @Override
  public String render(Help help) {
    Map<String, Help> commands = help.subcommands();
    int width = commands.keySet().stream().mapToInt(String::length).max().orElse(0);
    StringBuilder text = new StringBuilder();
    for (Section section : SECTIONS) {
      text.append("%n%s:%n".formatted(section.title()));
      TextTable table = table(help, width);
      section.names().forEach(name -> add(table, name, commands.get(name)));
      text.append(table);
    }
    return text.toString();
  }

  private static TextTable table(Help help, int width) {
    int names = INDENT + width + INDENT;
    return TextTable.forColumns(
        help.colorScheme(),
        new Column(names, INDENT, Overflow.SPAN),
        new Column(help.commandSpec().usageMessage().width() - names, 0, Overflow.WRAP));
  }

  private static void add(TextTable table, String name, Help command) {
    String[] description = command.commandSpec().usageMessage().description();
    table.addRowValues(
        command.colorScheme().commandText(name), command.colorScheme().text(description[0]));
  }

  /** Shows commands in this way. */
  static void showIn(CommandLine line) {
    line.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, new CommandList());
    line.getHelpSectionMap().remove(UsageMessageSpec.SECTION_KEY_COMMAND_LIST_HEADING);
  }
}
