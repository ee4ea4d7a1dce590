package io.stoker.dispatcher.api;

import io.stoker.common.json.MalformedJson;
import io.stoker.common.json.Mismatch;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.request.RequestRefused;

/** A call that is answered with an error. */
public final class ApiException extends RuntimeException {
  private final int status;
  private final ApiError error;

  private ApiException(int status, ApiError error) {
    super(error.message(), null, false, false);
    this.status = status;
    this.error = error;
  }

  static ApiException badRequest(String field, String value, String expected) {
    String message = field + ": " + value + ", expected " + expected;
    return new ApiException(400, new ApiError(field, value, expected, message));
  }

  /**
   * A body that is not what it should be.
   *
   * @param what to call it as a whole
   */
  static ApiException malformed(String what, MalformedJson why) {
    Mismatch wrong = why.mismatch().orElse(new Mismatch("", why.getMessage(), "a JSON object"));
    return wrong.field().isEmpty()
        ? badRequest(what, wrong.value(), "a JSON object")
        : badRequest(wrong.field(), wrong.value(), wrong.expected());
  }

  static ApiException refused(RequestRefused why) {
    ApiError error = new ApiError(why.field(), why.value(), why.expected(), why.getMessage());
    return new ApiException(400, error);
  }

  static ApiException unknownRequest(String id) {
    return new ApiException(404, new ApiError("id", id, null, "no request " + id + " is known"));
  }

  static ApiException unknownGroup(String group) {
    String message = "no group " + group + " is known";
    return new ApiException(404, new ApiError("group", group, null, message));
  }

  static ApiException noScore(String group) {
    String message = "no request of group " + group + " has succeeded with a score";
    return new ApiException(404, new ApiError("group", group, null, message));
  }

  static ApiException unknownHost(String host) {
    return new ApiException(404, new ApiError("host", host, null, "no host " + host + " is known"));
  }

  static ApiException unknownPool(String host, String pool) {
    String message = "no pool " + pool + " is known on host " + host;
    return new ApiException(404, new ApiError("pool", pool, null, message));
  }

  static ApiException wrongState(RequestStatus status, String expected) {
    String message = "id: %s is %s, expected %s".formatted(status.id(), status.state(), expected);
    return new ApiException(409, new ApiError("id", status.id(), expected, message));
  }

  /** A sentence that begins with the field. */
  static ApiException flaw(String sentence) {
    String field = sentence.substring(0, sentence.indexOf(':'));
    return new ApiException(400, new ApiError(field, null, null, sentence));
  }

  static ApiException notPassive(String id) {
    String expected = "one of type passive";
    String message = "id: %s is run by a program, expected %s".formatted(id, expected);
    return new ApiException(409, new ApiError("id", id, expected, message));
  }

  static ApiException notRemembered(String fingerprint) {
    String message = "no result is remembered under fingerprint " + fingerprint;
    return new ApiException(404, new ApiError("fingerprint", fingerprint, null, message));
  }

  static ApiException taken(String id) {
    String message = "id: " + id + " belongs to an accepted request with other content";
    return new ApiException(409, new ApiError("id", id, "an id of its own", message));
  }

  static ApiException unavailable(String message) {
    return new ApiException(503, new ApiError(null, null, null, message));
  }

  int status() {
    return status;
  }

  ApiError error() {
    return error;
  }
}
