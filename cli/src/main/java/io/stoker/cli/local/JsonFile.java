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
record JsonFile<T>(Path path, Class<T> type) {
  private static final ObjectMapper MAPPER =
      JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();

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
