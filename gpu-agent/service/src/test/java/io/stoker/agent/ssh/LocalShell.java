package io.stoker.agent.ssh;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** A link that is none: this machine's own shell, in a home of its own. */
final class LocalShell implements Link {
  private final Path home;

  LocalShell(Path home) {
    this.home = home;
  }

  @Override
  public byte[] run(String script) throws LinkException {
    try {
      Path err = Files.createTempFile("shell", ".err");
      Process shell =
          new ProcessBuilder("sh", "-s")
              .directory(home.toFile())
              .redirectError(err.toFile())
              .start();
      try (OutputStream in = shell.getOutputStream()) {
        in.write(script.getBytes(StandardCharsets.UTF_8));
      } catch (IOException e) {
        throw new AssertionError(
            "the shell ended with %d before it had read all: %s"
                .formatted(shell.waitFor(), Files.readString(err)),
            e);
      }
      byte[] said = shell.getInputStream().readAllBytes();
      int code = shell.waitFor();
      String errors = Files.readString(err);
      Files.delete(err);
      if (code != 0) {
        throw new LinkException(LinkException.Kind.REFUSED, errors.strip());
      }
      if (!errors.isBlank()) {
        throw new AssertionError("the script says " + errors);
      }
      return said;
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void put(InputStream content, long size, String path, boolean executable) {
    try {
      Path file = home.resolve(path);
      Files.copy(content, file);
      file.toFile().setExecutable(executable);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
