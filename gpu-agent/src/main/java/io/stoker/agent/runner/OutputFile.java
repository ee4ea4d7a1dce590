package io.stoker.agent.runner;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Reads what a job has written since the last look. */
final class OutputFile {

  /** Takes what was read; the array is used again. */
  interface Reader {
    void accept(byte[] bytes, int length);
  }

  private final Path file;
  private final Reader reader;
  private long position;

  OutputFile(Path file, Reader reader) {
    this.file = file;
    this.reader = reader;
  }

  /**
   * Reads on.
   *
   * @param buffer to read by
   * @param most bytes at this look
   */
  void look(byte[] buffer, long most) throws IOException {
    if (file.toFile().length() <= position) {
      return;
    }
    try (FileChannel in = FileChannel.open(file, StandardOpenOption.READ)) {
      long end = position + most;
      while (position < end) {
        int length = in.read(ByteBuffer.wrap(buffer), position);
        if (length <= 0) {
          return;
        }
        position += length;
        reader.accept(buffer, length);
      }
    } catch (NoSuchFileException e) {
      // Removed by the job itself: there is no more to read.
    }
  }
}
