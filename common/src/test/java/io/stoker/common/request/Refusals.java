package io.stoker.common.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** What is said of requests that are refused. */
final class Refusals {
  static final String COMMAND = "an array of the program and its arguments";

  private Refusals() {}

  static void assertRefused(RequestRefused refused, String id, String field, String expected) {
    assertThat(refused).as("refused").isNotNull();
    assertThat(refused.id()).isEqualTo(Optional.ofNullable(id));
    assertThat(refused.field()).isEqualTo(field);
    assertThat(refused.expected()).isEqualTo(expected);
    assertThat(refused).hasMessage(field + ": " + refused.value() + ", expected " + expected);
  }

  static RequestRefused refusal(String record) {
    return refusal(bytes(record), null);
  }

  static RequestRefused refusal(byte[] record, String eventId) {
    return catchThrowableOfType(
        RequestRefused.class, () -> RequestParser.parse(record, Optional.ofNullable(eventId)));
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
