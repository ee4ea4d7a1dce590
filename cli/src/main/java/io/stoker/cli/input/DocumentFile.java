package io.stoker.cli.input;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.stoker.cli.outcome.CliException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;

/** Reads a file that holds one object, as JSON or YAML. */
public final class DocumentFile {
  private DocumentFile() {}

  /**
   * Reads a file, or standard input.
   *
   * @param name of the file; {@code -} is {@code standardInput}
   * @throws CliException with exit code 2 that names the place
   */
  public static ObjectNode read(String name, InputStream standardInput) {
    return name.equals("-")
        ? parse("standard input", RequestFile.bytes(standardInput))
        : parse(name, RequestFile.bytes(Path.of(name)));
  }

  /** As {@link #read}, of what was read. */
  public static ObjectNode parse(String source, byte[] bytes) {
    String text = RequestFile.text(source, bytes);
    // JSON is read as JSON, for its stricter rules.
    List<Numbered> found =
        !source.matches("(?i).*\\.ya?ml") && text.stripLeading().startsWith("{")
            ? JsonTexts.read(source, text)
            : YamlTexts.read(source, text);
    JsonNode tree = found.size() == 1 ? found.get(0).tree() : null;
    if (!(tree instanceof ObjectNode object)) {
      throw CliException.usage(source + ": expected one object, as JSON or YAML");
    }
    return object;
  }
}
