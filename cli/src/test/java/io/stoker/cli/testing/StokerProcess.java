package io.stoker.cli.testing;

import io.stoker.cli.Main;
import io.stoker.cli.stack.child.JavaCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The {@code stoker} command as a process, with no variables but those that a test gives.
 *
 * @param folder its home; what goes in and out is kept there, too
 */
public record StokerProcess(Path folder) {
  /** How a command ended. */
  public record Ended(int code, String out, String err) {}

  public Ended run(String input, Map<String, String> variables, String... words)
      throws IOException, InterruptedException {
    Path in = Files.writeString(folder.resolve("in"), input);
    Path out = folder.resolve("out");
    Path err = folder.resolve("err");
    ProcessBuilder builder =
        new ProcessBuilder(
                JavaCommand.ofOwnClassPath(
                    List.of("-XX:TieredStopAtLevel=1"), Main.class, List.of(words)))
            .redirectInput(in.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("STOKER_"));
    builder.environment().put("XDG_CONFIG_HOME", folder.toString());
    builder.environment().put("NO_COLOR", "1");
    builder.environment().putAll(variables);
    int code = builder.start().waitFor();
    return new Ended(code, Files.readString(out), Files.readString(err));
  }
}
