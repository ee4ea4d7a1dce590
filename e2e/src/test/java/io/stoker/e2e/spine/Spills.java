package io.stoker.e2e.spine;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Where a text is found that is to be nowhere. */
final class Spills {
  private Spills() {}

  /** The files in a folder and below that have it. */
  static List<Path> inFiles(Path folder, String text) throws IOException {
    return Tree.files(folder).stream().filter(file -> holds(file, text)).toList();
  }

  /** The environments and command lines of processes that have it. */
  static List<Path> inProcesses(String text) throws IOException {
    try (Stream<Path> all = Files.list(Path.of("/proc"))) {
      return all.filter(one -> one.getFileName().toString().matches("\\d+"))
          .flatMap(one -> Stream.of(one.resolve("environ"), one.resolve("cmdline")))
          .filter(file -> holds(file, text))
          .toList();
    }
  }

  private static boolean holds(Path file, String text) {
    try {
      return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).contains(text);
    } catch (NoSuchFileException e) {
      return false;
    } catch (IOException e) {
      if (file.startsWith("/proc")) {
        return false; // gone, or another user's
      }
      throw new UncheckedIOException(e);
    }
  }
}
