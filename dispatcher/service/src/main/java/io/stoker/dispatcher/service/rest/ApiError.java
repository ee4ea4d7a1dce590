package io.stoker.dispatcher.service.rest;

/**
 * The answer to a call that failed, as RFC 9457 has it; what does not apply is left out.
 *
 * @param type a URI that stays for all problems of its kind
 * @param title of the type, for people
 * @param status of the answer
 * @param detail all of it in a sentence
 * @param field the field that is wrong, or the kind of thing that is not there
 * @param value what it held
 * @param expected what was expected of it
 * @param message as {@code detail}
 */
public record ApiError(
    String type,
    String title,
    int status,
    String detail,
    String field,
    String value,
    String expected,
    String message) {
  /** The media type of all errors. */
  public static final String MEDIA_TYPE = "application/problem+json";
}
