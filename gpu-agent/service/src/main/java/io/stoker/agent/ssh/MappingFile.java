package io.stoker.agent.ssh;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A file with a machine a line: a name, and what else is to be known of it. Empty lines and those
 * that begin with # mean nothing.
 */
public final class MappingFile {
  private MappingFile() {}

  /** What a line says. */
  public interface Line<T> {
    /**
     * @param words one or more
     * @throws IllegalArgumentException if they are none of this
     */
    T read(List<String> words);
  }

  /**
   * Reads a file.
   *
   * @return what its lines say, by the name of each
   * @throws MappingException naming every bad line and what is wrong with it
   */
  public static <T> Map<String, T> read(Path file, Line<T> line) {
    List<String> lines;
    try {
      lines = Files.readAllLines(file);
    } catch (IOException e) {
      throw new MappingException(file, List.of("it cannot be read (" + e + ")"));
    }
    return parse(file, lines, line);
  }

  static <T> Map<String, T> parse(Path file, List<String> lines, Line<T> line) {
    Map<String, T> found = new LinkedHashMap<>();
    List<String> problems = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      String text = lines.get(i).strip();
      if (text.isEmpty() || text.startsWith("#")) {
        continue;
      }
      try {
        T read = line.read(List.of(text.split("\\s+")));
        if (found.putIfAbsent(read.toString(), read) != null) {
          throw new IllegalArgumentException(read + " is there twice");
        }
      } catch (IllegalArgumentException e) {
        problems.add("line %d '%s': %s".formatted(i + 1, text, e.getMessage()));
      }
    }
    if (problems.isEmpty() && found.isEmpty()) {
      problems.add("it names no machine");
    }
    if (!problems.isEmpty()) {
      throw new MappingException(file, problems);
    }
    return found;
  }

  /**
   * Finds a key file: as it is given, else in the user's home for {@code ~/}, else beside the
   * mapping file.
   *
   * @throws IllegalArgumentException if it is not there
   */
  static Path key(Path mapping, String name) {
    Path file =
        name.startsWith("~/")
            ? Path.of(System.getProperty("user.home"), name.substring(2))
            : mapping.toAbsolutePath().resolveSibling(name);
    if (!Files.isReadable(file) || Files.isDirectory(file)) {
      throw new IllegalArgumentException("key file " + file + " cannot be read");
    }
    return file.normalize();
  }
}
