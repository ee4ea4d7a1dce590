package io.stoker.agent.secret;

import java.io.IOException;
import java.nio.file.Path;

/** The source of a secret's value. */
@FunctionalInterface
public interface SecretSource {
  /** More fits into no environment. */
  int MOST = 120 * 1024;

  /**
   * The value as it is now.
   *
   * @throws IOException saying why there is none
   */
  String read() throws IOException;

  /** A file's text without the newline at its end, as Docker, Kubernetes and systemd give it. */
  static SecretSource file(Path file) {
    return new SecretFile(file, () -> Thread.sleep(SecretFile.APART));
  }

  /** The same text without a newline at its end. */
  static String stripped(String text) {
    String line = text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
    return line.endsWith("\r") ? line.substring(0, line.length() - 1) : line;
  }
}
