package io.stoker.cli.input;

import io.stoker.cli.outcome.CliException;
import io.stoker.common.json.Json;
import io.stoker.common.request.CycleCheck;
import io.stoker.common.request.JobRequest;
import io.stoker.common.request.RequestParser;
import io.stoker.common.request.RequestRefused;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Reads requests, and refuses all of them if one is wrong: half a graph on its way helps nobody.
 */
public final class RequestFile {
  private RequestFile() {}

  /**
   * Reads a file, or standard input.
   *
   * @param name of the file; {@code -} is {@code standardInput}
   * @throws CliException with exit code 2 that names place, field, value and what was expected
   */
  public static List<Submission> read(String name, InputStream standardInput) {
    return name.equals("-")
        ? parse("standard input", bytes(standardInput), false)
        : parse(name, bytes(Path.of(name)), name.matches("(?i).*\\.ya?ml"));
  }

  static List<Submission> parse(String source, byte[] bytes, boolean yaml) {
    String text = text(source, bytes);
    if (text.isBlank()) {
      throw CliException.usage(source + " is empty, expected requests as JSON or YAML");
    }
    char first = text.stripLeading().charAt(0);
    List<Numbered> found =
        !yaml && (first == '{' || first == '[')
            ? JsonTexts.read(source, text)
            : YamlTexts.read(source, text);
    List<JobRequest> requests = found.stream().map(RequestFile::checked).toList();
    CycleCheck.among(requests)
        .ifPresent(
            cycle -> {
              throw CliException.usage(
                  "%s: dependsOn: %s, expected requests that do not wait for each other"
                      .formatted(source, String.join(" -> ", cycle)));
            });
    return requests.stream().map(Submission::of).toList();
  }

  private static JobRequest checked(Numbered request) {
    try {
      return RequestParser.parse(Json.bytes(request.tree()), Optional.empty());
    } catch (RequestRefused e) {
      throw CliException.usage(
          "%s%s: %s"
              .formatted(request.place(), e.id().map(id -> ", " + id).orElse(""), e.getMessage()));
    }
  }

  static String text(String source, byte[] bytes) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw CliException.usage(source + " is not UTF-8");
    }
  }

  static byte[] bytes(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw CliException.usage("%s: no such file, or not readable".formatted(file));
    }
  }

  static byte[] bytes(InputStream in) {
    try {
      return in.readAllBytes();
    } catch (IOException e) {
      throw CliException.failed("standard input cannot be read: " + e.getMessage(), e);
    }
  }
}
