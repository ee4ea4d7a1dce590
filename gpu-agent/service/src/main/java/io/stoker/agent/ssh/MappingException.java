package io.stoker.agent.ssh;

import java.nio.file.Path;
import java.util.List;

/** A mapping file cannot be used; every bad line is named. */
public final class MappingException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  public MappingException(Path file, List<String> problems) {
    super("mapping file " + file + ": " + String.join("; ", problems));
  }
}
