package io.stoker.cli.local;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;

/**
 * A small file that is replaced as a whole: readers see the old content or the new one, never a
 * part. Only its owner may read it.
 */
final class JsonFile<T> {
  private static final ObjectMapper MAPPER =
      JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();

  private final Path path;
  private final Class<T> type;

  JsonFile(Path path, Class<T> type) {
    this.path = path;
    this.type = type;
  }

  Optional<T> read() throws IOException {
    byte[] bytes;
    try {
      bytes = Files.readAllBytes(path);
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
    try {
      return Optional.of(MAPPER.readValue(bytes, type));
    } catch (IOException e) {
      throw new IOException("%s is damaged: %s".formatted(path, e.getMessage()), e);
    }
  }

  void write(T value) throws IOException {
    Path next = path.resolveSibling(path.getFileName() + ".new");
    Files.deleteIfExists(next);
    if (next.getFileSystem().supportedFileAttributeViews().contains("posix")) {
      Files.createFile(
          next, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    }
    Files.write(next, MAPPER.writeValueAsBytes(value));
    Files.move(next, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }
}
