package io.stoker.cli.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.stoker.cli.Main;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/** Examples in what commands say of themselves are of these commands, and are taken. */
class ExamplesTest {
  /** Which no code of ours describes. */
  private static final String FOREIGN = "generate-completion";

  /** What is another program's, or said of the example. */
  private static final Pattern REST = Pattern.compile(" [|>&].*|  .*");

  private static final Pattern VARIABLES = Pattern.compile("^([A-Z_]+=\\S+ )+");
  private static final Pattern SUBSTITUTED = Pattern.compile("\\$\\([^)]*\\)");
  private static final Pattern WORD = Pattern.compile("'([^']*)'|\\S+");

  /** A line, and the whole name of the command in whose help it stands. */
  record Example(String of, String line) {}

  static Stream<CommandLine> commands() {
    return below(Main.commandLine());
  }

  private static Stream<CommandLine> below(CommandLine command) {
    return Stream.concat(
        Stream.of(command),
        command.getSubcommands().values().stream().flatMap(ExamplesTest::below));
  }

  static Stream<Example> examples() {
    return commands()
        .filter(command -> !command.getCommandName().equals(FOREIGN))
        .flatMap(
            command ->
                Arrays.stream(command.getCommandSpec().usageMessage().footer())
                    .filter(line -> words(line.strip()).indexOf("stoker") == 0)
                    .map(
                        line ->
                            new Example(command.getCommandSpec().qualifiedName(), line.strip())));
  }

  @ParameterizedTest
  @MethodSource("examples")
  void anExampleIsTaken(Example example) {
    List<String> words = words(example.line());

    assertThatCode(
            () ->
                Main.commandLine().parseArgs(words.subList(1, words.size()).toArray(String[]::new)))
        .doesNotThrowAnyException();
  }

  private static List<String> words(String line) {
    String plain = VARIABLES.matcher(line).replaceFirst("");
    String own = REST.matcher(SUBSTITUTED.matcher(plain).replaceAll("x")).replaceFirst("");
    return WORD.matcher(own)
        .results()
        .map(word -> word.group(1) == null ? word.group() : word.group(1))
        .toList();
  }

  @ParameterizedTest
  @MethodSource("commands")
  void aCommandBelowAnotherHasExamplesOfItsOwn(CommandLine command) {
    String name = command.getCommandSpec().qualifiedName();
    List<String> lines =
        examples().filter(one -> one.of().equals(name)).map(Example::line).toList();
    if (!lines.isEmpty()) {
      assertThat(lines).anyMatch(line -> line.contains(name));
    }
  }
}
