package io.stoker.dispatcher.experiment;

/**
 * Thrown where a group's plan is not valid; the message names field, value and what is expected.
 */
public final class PlanRefused extends Exception {
  private final String field;
  private final String value;
  private final String expected;

  public PlanRefused(String field, Object value, String expected) {
    super("%s: %s, expected %s".formatted(field, value, expected), null, false, false);
    this.field = field;
    this.value = String.valueOf(value);
    this.expected = expected;
  }

  public String field() {
    return field;
  }

  public String value() {
    return value;
  }

  public String expected() {
    return expected;
  }
}
