package io.stoker.cli.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.cli.Main;
import io.stoker.cli.local.Home;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/**
 * The reference of the command line is what the commands say of themselves. After a change, {@code
 * -Dtest.jvm.args=-Dstoker.write-docs=true} writes the page again.
 */
class CliPageTest {
  private static final String MARKER = "<!-- Below: written by CliPageTest. -->\n";

  @Test
  void thePageSaysWhatTheCommandsSay() throws IOException {
    Path page = Home.locate().root().resolve("docs/cli.md");
    String text = Files.readString(page);
    int end = text.indexOf(MARKER) + MARKER.length();
    assertThat(text).contains(MARKER);
    String reference = reference(Main.commandLine());
    if (Boolean.getBoolean("stoker.write-docs")) {
      Files.writeString(page, text.substring(0, end) + reference);
      return;
    }

    assertThat(text.substring(end)).isEqualTo(reference);
  }

  private static String reference(CommandLine command) {
    StringBuilder page = new StringBuilder(section(command));
    command.getSubcommands().values().forEach(child -> page.append(reference(child)));
    return page.toString();
  }

  private static String section(CommandLine command) {
    return "\n## %s\n\n```\n%s\n```\n"
        .formatted(
            command.getCommandSpec().qualifiedName(),
            command.getUsageMessage(Ansi.OFF).replace("\r", "").strip());
  }
}
