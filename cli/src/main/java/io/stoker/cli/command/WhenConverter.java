package io.stoker.cli.command;

import io.stoker.common.size.Durations;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeParseException;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A time: how long ago, such as {@code 2h} or {@code 7d}, or in ISO 8601, without a zone in that of
 * this machine.
 */
final class WhenConverter implements ITypeConverter<Instant> {
  @Override
  public Instant convert(String text) {
    try {
      return text.matches("\\d.*-.*") ? time(text) : ago(text);
    } catch (DateTimeParseException | IllegalArgumentException e) {
      throw new TypeConversionException(
          "is %s, expected how long ago, such as 90s, 2h or 7d, or a time such as 2026-01-31 or"
                  .formatted(text)
              + " 2026-01-31T12:00:00Z");
    }
  }

  private static Instant ago(String text) {
    return Instant.now().minus(Durations.parse(text));
  }

  private static Instant time(String text) {
    if (!text.contains("T")) {
      return LocalDate.parse(text).atStartOfDay(ZoneId.systemDefault()).toInstant();
    }
    return text.matches(".*(Z|[+-]\\d\\d:?\\d\\d)")
        ? OffsetDateTime.parse(text).toInstant()
        : LocalDateTime.parse(text).atZone(ZoneId.systemDefault()).toInstant();
  }
}
