package io.stoker.agent.config;

import io.smallrye.config.WithDefault;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** {@code stoker.agent.isolation.*}: what the processes of all jobs of a host are kept from. */
public interface IsolationConfig {
  /** What they reach. */
  enum Network {
    /** What their host reaches. */
    HOST,
    /** Nothing. */
    NONE
  }

  @WithDefault("host")
  Network network();

  /** Whether each has a {@code /tmp} of its own. */
  @WithDefault("false")
  boolean privateTmp();

  /** In which they write nothing. */
  Optional<List<Path>> readOnly();

  /** Of their user at once. */
  OptionalLong processes();

  /** Of a process. */
  OptionalLong openFiles();

  /** A size: of a file that they write. */
  Optional<String> fileSize();

  /** A size: of what a process leaves that crashes. */
  Optional<String> coreSize();
}
