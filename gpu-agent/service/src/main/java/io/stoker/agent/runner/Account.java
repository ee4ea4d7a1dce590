package io.stoker.agent.runner;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A user of this machine.
 *
 * @param home absolute
 */
record Account(String name, int uid, int gid, String home, String shell) {
  private static final Path PASSWD = Path.of("/etc/passwd");
  private static final int FIELDS = 7;

  /** A line of {@code passwd(5)}; empty if it is none. */
  static Optional<Account> parse(String line) {
    String[] fields = line.strip().split(":", -1);
    if (fields.length != FIELDS) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new Account(
              fields[0],
              Integer.parseUnsignedInt(fields[2]),
              Integer.parseUnsignedInt(fields[3]),
              fields[5],
              fields[6]));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  /**
   * The user of a name, from wherever this machine knows its users, directories of the network
   * included.
   */
  static Optional<Account> find(String name) throws IOException {
    try {
      Process getent = new ProcessBuilder("getent", "passwd", "--", name).start();
      String line = new String(getent.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return getent.waitFor() == 0 ? parse(line).filter(one -> one.is(name)) : Optional.empty();
    } catch (IOException noGetent) {
      try (Stream<String> lines = Files.lines(PASSWD)) {
        return lines.flatMap(line -> parse(line).stream()).filter(one -> one.is(name)).findFirst();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  /** A number names nobody here, although {@code getent} takes it for a uid. */
  private boolean is(String wanted) {
    return name.equals(wanted);
  }
}
