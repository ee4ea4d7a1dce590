package io.stoker.agent.app;

import io.stoker.agent.key.AgentKey;
import io.stoker.agent.report.Timer;
import io.stoker.common.life.Setting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import org.jboss.logging.Logger;

/** The file that holds the host's key: what is written there counts without a restart. */
final class HostKeyFile implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(HostKeyFile.class);
  private static final long LOOK_MS = 500;

  private final Path file;
  private final AgentKey key;
  private volatile boolean closed;
  private String told = "";
  private byte[] seen = {};

  HostKeyFile(Path file, AgentKey key) {
    this.file = file;
    this.key = key;
  }

  /**
   * The key that a host begins with.
   *
   * @param given hex, if it is configured itself
   * @param file that holds it, if it is not
   * @throws IllegalArgumentException if both are there, or there is no key in one
   */
  static AgentKey key(Optional<String> given, Optional<Path> file) {
    if (given.isPresent() && file.isPresent()) {
      throw new IllegalArgumentException(
          "stoker.agent.key and stoker.agent.key-file: both are set, expected one of them");
    }
    try {
      return file.isPresent()
          ? AgentKey.of(read(file.get()), Timer.SYSTEM::nowMs)
          : given
              .map(hex -> AgentKey.of(Setting.secret("stoker.agent.key", hex)))
              .orElseGet(AgentKey::none);
    } catch (IOException e) {
      throw new IllegalArgumentException(trouble(file.get(), e), e);
    }
  }

  private static byte[] read(Path file) throws IOException {
    try {
      byte[] key = HexFormat.of().parseHex(Files.readString(file).strip());
      if (key.length > 0) {
        return key;
      }
    } catch (IllegalArgumentException e) {
      // Said below, without what is there: it may be a key all the same.
    }
    throw new IOException("it holds no key in hex");
  }

  private static String trouble(Path file, IOException why) {
    return "stoker.agent.key-file: %s: %s".formatted(file, why);
  }

  /** Looks at it from now on. */
  void watch() {
    Timer.SYSTEM.after(
        LOOK_MS,
        () -> {
          if (!closed) {
            look();
            watch();
          }
        });
  }

  /**
   * Looks once; where there is no key, the one that the host has stays. One that was not there at
   * the look before may be half of one that is being written.
   */
  void look() {
    try {
      byte[] found = read(file);
      boolean whole = Arrays.equals(found, seen);
      seen = found;
      if (whole && key.replace(found)) {
        LOG.infof("the host has another key from now on, that of %s", file);
      }
      told = "";
    } catch (IOException e) {
      String trouble = trouble(file, e);
      if (!trouble.equals(told)) {
        LOG.warnf("%s: the key of before stays", trouble);
      }
      told = trouble;
    }
  }

  @Override
  public void close() {
    closed = true;
  }
}
