package io.stoker.agent.app;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Classes that users add to an agent: the jars of a folder. */
final class Extensions {
  private Extensions() {}

  /**
   * A class loader over the agent's own, for as long as the agent runs.
   *
   * @throws UncheckedIOException if the folder cannot be read
   */
  static ClassLoader classes(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      URL[] jars =
          files
              .filter(file -> file.getFileName().toString().endsWith(".jar"))
              .sorted()
              .map(Extensions::url)
              .toArray(URL[]::new);
      return new URLClassLoader(jars, Extensions.class.getClassLoader());
    } catch (IOException e) {
      throw new UncheckedIOException("stoker.agent.extensions: " + folder + " cannot be read", e);
    }
  }

  private static URL url(Path jar) {
    try {
      return jar.toUri().toURL();
    } catch (MalformedURLException e) {
      throw new UncheckedIOException(e);
    }
  }
}
