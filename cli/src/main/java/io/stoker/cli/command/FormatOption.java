package io.stoker.cli.command;

import io.stoker.cli.outcome.CliException;
import io.stoker.cli.terminal.Format;
import java.util.Locale;
import picocli.CommandLine.Option;

/** The option that says how something is printed. */
final class FormatOption {
  /** Those that can be asked for. */
  enum Output {
    JSON(Format.JSON),
    YAML(Format.YAML),
    WIDE(Format.WIDE),
    NAME(Format.NAME);

    private final Format format;

    Output(Format format) {
      this.format = format;
    }

    @Override
    public String toString() {
      return format.name().toLowerCase(Locale.ROOT);
    }
  }

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      description = {
        "json as --json, yaml the same as YAML, wide with all columns and nothing cut, name the names",
        "alone, one a line."
      })
  private Output output;

  /**
   * What is wanted.
   *
   * @param json whether --json is given
   * @throws CliException with exit code 2 if the two contradict each other
   */
  Format format(boolean json) {
    if (json && output != null && output != Output.JSON) {
      throw CliException.usage(
          "--json and --output %s are both given, expected one of them".formatted(output));
    }
    if (json) {
      return Format.JSON;
    }
    return output == null ? Format.TABLE : output.format;
  }
}
