package io.stoker.e2e.spine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file to which scripts add a line: how often they were run. */
record RunCount(Path file) {
  static RunCount in(Path folder, String name) {
    return new RunCount(folder.resolve(name));
  }

  /** A line of shell that counts. */
  String add() {
    return "echo ran >> '" + file + "'; ";
  }

  long runs() throws IOException {
    return Files.exists(file) ? Files.readAllLines(file).size() : 0;
  }
}
