package io.stoker.common.schema;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * An example of a message as some version of Stoker wrote it. These files are never changed, only
 * added to: every later version reads them.
 *
 * @param schema the schema of its topic
 */
public record Golden(String schema, String name, JsonNode json) {
  private static final Path FOLDER = Path.of("src/test/resources/io/stoker/golden");

  public static List<Golden> all() {
    try (Stream<Path> files = Files.walk(FOLDER)) {
      return files
          .filter(file -> file.toString().endsWith(".json"))
          .sorted()
          .map(Golden::of)
          .toList();
    } catch (IOException e) {
      throw new IllegalStateException(FOLDER + " is not readable", e);
    }
  }

  public static List<Golden> of(String schema) {
    return all().stream().filter(golden -> golden.schema.equals(schema)).toList();
  }

  private static Golden of(Path file) {
    try {
      String name = file.getFileName().toString().replace(".json", "");
      return new Golden(
          file.getParent().getFileName().toString(), name, Json.read(Files.readAllBytes(file)));
    } catch (IOException | MalformedJson e) {
      throw new IllegalStateException(file.toString(), e);
    }
  }

  @Override
  public String toString() {
    return schema + "/" + name;
  }
}
