package io.stoker.agent.runner;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The pipe that is a staged process's stdin. */
final class StagePipe {
  private StagePipe() {}

  /**
   * Writes a line; to nobody, if the process is gone. Opened for reading as well, so that opening
   * waits for nobody; and a line is far smaller than what a pipe takes at once.
   */
  static void write(Path pipe, JsonNode line) throws IOException {
    if (!Files.exists(pipe)) {
      return;
    }
    try (RandomAccessFile out = new RandomAccessFile(pipe.toFile(), "rw")) {
      out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
    }
  }
}
