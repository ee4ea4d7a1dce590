package io.stoker.dispatcher.service.rest;

import jakarta.ws.rs.core.Response;

/**
 * The types of problem of a call, which stay, as RFC 9457 has it.
 *
 * <p>What no one of them fits is told under {@code about:blank}, with the phrase of its status.
 */
enum Problem {
  INVALID(400, "A field or parameter is wrong"),
  LOGIN(401, "It is not known who calls"),
  NOT_ALLOWED(403, "Who calls may not do that"),
  FOREIGN_PAGE(403, "Sent by a page of another site"),
  FOREIGN_NAME(403, "Called by a name that is not the dispatcher's"),
  NOT_FOUND(404, "There is no such thing"),
  ID_TAKEN(409, "The id has other content"),
  WRONG_STATE(409, "Its state does not allow that"),
  TOO_LARGE(413, "The body is too large"),
  UNSUPPORTED_TYPE(415, "The body's type is not taken"),
  TOO_MANY(429, "Too many of them"),
  UNEXPECTED(500, "A defect of the dispatcher"),
  UNAVAILABLE(503, "The database, Kafka or the issuer of logins cannot be reached");

  private static final String TYPES = "urn:stoker:problem:";

  private final int status;
  private final String title;

  Problem(int status, String title) {
    this.status = status;
    this.title = title;
  }

  int status() {
    return status;
  }

  /**
   * An error of this kind.
   *
   * @param message all of it in a sentence
   */
  ApiError error(String field, String value, String expected, String message) {
    String type = TYPES + name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
    return new ApiError(type, title, status, message, field, value, expected, message);
  }

  /** An error that is nothing more than its status. */
  static ApiError blank(Response.StatusType status) {
    String phrase = status.getReasonPhrase();
    return new ApiError(
        "about:blank", phrase, status.getStatusCode(), phrase, null, null, null, phrase);
  }
}
