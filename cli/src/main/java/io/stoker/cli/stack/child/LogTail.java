package io.stoker.cli.stack.child;

import io.stoker.common.life.StartFailure;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** The end of a log, for messages about the process that wrote it. */
public final class LogTail {
  private static final int LIMIT_BYTES = 2_000;

  private LogTail() {}

  /**
   * A text that starts with a semicolon: the last lines, from where a process said last why it does
   * not start, if one did; or that nothing was written.
   */
  public static String of(Path log) {
    try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
      long start = Math.max(0, file.length() - LIMIT_BYTES);
      byte[] bytes = new byte[(int) (file.length() - start)];
      file.seek(start);
      file.readFully(bytes);
      String text = new String(bytes, StandardCharsets.UTF_8).strip();
      if (text.isEmpty()) {
        return "; its log %s is empty".formatted(log);
      }
      String tail = start == 0 ? text : text.substring(text.indexOf('\n') + 1);
      // Former processes wrote into it, too.
      int said = ("\n" + tail).lastIndexOf("\n" + StartFailure.SAID);
      String end = said < 0 ? tail : tail.substring(said);
      return "; the end of %s:%n%s".formatted(log, end.indent(2).stripTrailing());
    } catch (IOException e) {
      return "; its log %s cannot be read".formatted(log);
    }
  }
}
