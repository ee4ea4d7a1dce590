package io.stoker.cli.local;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/** A {@link PrivateFile} with a record in it. */
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
    PrivateFile.write(path, MAPPER.writeValueAsBytes(value));
  }
}
