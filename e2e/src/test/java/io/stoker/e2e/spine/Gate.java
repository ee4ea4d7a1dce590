package io.stoker.e2e.spine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file that scripts wait for: keeps a job running until the test lets it go. */
record Gate(Path file) {
  static Gate in(Path folder, String name) {
    return new Gate(folder.resolve(name));
  }

  /** A line of shell that waits until the gate is open. */
  String await() {
    return "until [ -e '" + file + "' ]; do sleep 0.05; done; ";
  }

  void open() throws IOException {
    Files.createFile(file);
  }
}
