package io.stoker.cli.local;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;

/** A {@link PrivateFile} with a record in it. */
record JsonFile<T>(Path path, Class<T> type) {
  private static final ObjectMapper MAPPER =
      JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();

  /** It does not hold what was written. */
  private static final class Damaged extends IOException {
    private static final long serialVersionUID = 1L;

    private Damaged(Path path, IOException trouble) {
      super("%s is damaged: %s".formatted(path, inOneLine(trouble)), trouble);
    }
  }

  /** Empty also where the file is damaged, which is told. */
  Optional<T> readUndamaged(Consumer<String> messages) throws IOException {
    try {
      return read();
    } catch (Damaged e) {
      messages.accept("passed over: " + e.getMessage());
      return Optional.empty();
    }
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
      throw new Damaged(path, e);
    }
  }

  private static String inOneLine(IOException trouble) {
    return trouble instanceof JsonProcessingException json
        ? json.getOriginalMessage()
        : trouble.getMessage();
  }

  void write(T value) throws IOException {
    PrivateFile.write(path, MAPPER.writeValueAsBytes(value));
  }
}
