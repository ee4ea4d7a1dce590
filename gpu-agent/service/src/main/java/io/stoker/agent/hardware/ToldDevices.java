package io.stoker.agent.hardware;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;

/**
 * The device list that this host was told while running: a restarted agent must offer the same
 * devices before it hears it again, or it would kill what runs on them.
 */
public final class ToldDevices {
  private final Path file;

  public ToldDevices(Path data) {
    file = data.resolve("devices");
  }

  Optional<String> read() throws IOException {
    try {
      return Optional.of(new String(Files.readAllBytes(file), StandardCharsets.UTF_8).strip());
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  /** Keeps a list; empty = none was told. */
  void write(Optional<String> list) throws IOException {
    if (list.isEmpty()) {
      Files.deleteIfExists(file);
      return;
    }
    Files.createDirectories(file.getParent());
    Path fresh = file.resolveSibling("devices.new");
    Files.writeString(fresh, list.get() + "\n", StandardCharsets.UTF_8);
    Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }
}
