package io.stoker.common.request;

import io.stoker.common.text.PlainText;
import java.util.Optional;

/** A request that is not accepted: which field, what it held, and what was expected of it. */
public final class RequestRefused extends Exception {
  private static final int SHOWN = 200;

  private final String field;
  private final String value;
  private final String expected;
  private final String id;

  public RequestRefused(String id, String field, String value, String expected) {
    super(shorten(field) + ": " + shorten(value) + ", expected " + expected);
    this.field = shorten(field);
    this.value = shorten(value);
    this.expected = expected;
    this.id = id;
  }

  /** The id under which the refusal can be reported, if a valid one could be read. */
  public Optional<String> id() {
    return Optional.ofNullable(id);
  }

  /** The path of the field, {@code request} for the whole of it; shortened and printable. */
  public String field() {
    return field;
  }

  /** What the field held, shortened for people and printable. */
  public String value() {
    return value;
  }

  public String expected() {
    return expected;
  }

  private static String shorten(String value) {
    if (value.length() <= SHOWN) {
      return PlainText.of(value);
    }
    int end = Character.isHighSurrogate(value.charAt(SHOWN - 1)) ? SHOWN - 1 : SHOWN;
    String start = PlainText.of(value.substring(0, end));
    return start + "… (" + value.length() + " characters)";
  }
}
