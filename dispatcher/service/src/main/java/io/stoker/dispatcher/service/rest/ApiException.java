package io.stoker.dispatcher.service.rest;

import io.stoker.common.json.MalformedJson;
import io.stoker.common.json.Mismatch;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.request.RequestRefused;
import io.stoker.common.size.Limits;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.service.access.Login;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** A call that is answered with an error. */
public final class ApiException extends RuntimeException {
  private static final String TOKEN = "Bearer, and a token of stoker.http.tokens-file";

  private final ApiError error;

  private ApiException(
      Problem problem, String field, String value, String expected, String message) {
    super(message, null, false, false);
    this.error = problem.error(field, value, expected, message);
  }

  public static ApiException badRequest(String field, String value, String expected) {
    String message = field + ": " + value + ", expected " + expected;
    return new ApiException(Problem.INVALID, field, value, expected, message);
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
    return new ApiException(
        Problem.INVALID, why.field(), why.value(), why.expected(), why.getMessage());
  }

  static ApiException unknownRequest(String id) {
    return new ApiException(Problem.NOT_FOUND, "id", id, null, "no request " + id + " is known");
  }

  static ApiException unknownGroup(String group) {
    String message = "no group " + group + " is known";
    return new ApiException(Problem.NOT_FOUND, "group", group, null, message);
  }

  static ApiException noScore(String group) {
    String message = "no request of group " + group + " has succeeded with a score";
    return new ApiException(Problem.NOT_FOUND, "group", group, null, message);
  }

  /** Nobody logs in on the page by an issuer. */
  public static ApiException noIssuer() {
    String message = "nobody logs in here by an issuer: stoker.oidc.client-secret is not set";
    return new ApiException(Problem.NOT_FOUND, null, null, null, message);
  }

  static ApiException unknownHost(String host) {
    return new ApiException(Problem.NOT_FOUND, "host", host, null, "no host " + host + " is known");
  }

  static ApiException unknownPool(String host, String pool) {
    String message = "no pool " + pool + " is known on host " + host;
    return new ApiException(Problem.NOT_FOUND, "pool", pool, null, message);
  }

  /** Refuses a request in another state. */
  static Consumer<RequestStatus> unless(Predicate<RequestState> fits, String expected) {
    return status -> {
      if (!fits.test(status.state())) {
        String message =
            "id: %s is %s, expected %s".formatted(status.id(), status.state(), expected);
        throw new ApiException(Problem.WRONG_STATE, "id", status.id(), expected, message);
      }
    };
  }

  /** A host's key is spoken of where none has one: no field of the call is wrong. */
  static ApiException noHostKeys() {
    String message = "hosts have no keys: set stoker.host-secret";
    return new ApiException(Problem.INVALID, null, null, null, message);
  }

  /** A sentence that begins with the field. */
  static ApiException flaw(String sentence) {
    String field = sentence.substring(0, sentence.indexOf(':'));
    return new ApiException(Problem.INVALID, field, null, null, sentence);
  }

  static ApiException notPassive(String id) {
    String expected = "one of type passive";
    String message = "id: %s is run by a program, expected %s".formatted(id, expected);
    return new ApiException(Problem.WRONG_STATE, "id", id, expected, message);
  }

  static ApiException notRemembered(String fingerprint) {
    String message = "no result is remembered under fingerprint " + fingerprint;
    return new ApiException(Problem.NOT_FOUND, "fingerprint", fingerprint, null, message);
  }

  static ApiException taken(String id) {
    String message = "id: " + id + " belongs to an accepted request with other content";
    return new ApiException(Problem.ID_TAKEN, "id", id, "an id of its own", message);
  }

  /** Whether it says that something cannot be reached. */
  public static boolean isUnavailable(Throwable error) {
    return is(Problem.UNAVAILABLE, error);
  }

  /** Whether what was asked for is not known, or not any more. */
  public static boolean isNotFound(Throwable error) {
    return is(Problem.NOT_FOUND, error);
  }

  private static boolean is(Problem problem, Throwable error) {
    return error instanceof ApiException api && api.error.status() == problem.status();
  }

  public static ApiException unavailable(String message) {
    return new ApiException(Problem.UNAVAILABLE, null, null, null, message);
  }

  /** A parameter that the call does not have. */
  static ApiException unknownParameter(String name, String value, Collection<String> known) {
    String expected =
        known.isEmpty() ? "no parameters" : "one of " + String.join(", ", new TreeSet<>(known));
    String message = "%s: not a parameter of this call, expected %s".formatted(name, expected);
    return new ApiException(Problem.INVALID, name, value, expected, message);
  }

  /**
   * A body of a type that the call does not take.
   *
   * @param type as sent; empty if it was not
   */
  static ApiException unsupported(String type, List<String> taken) {
    String expected = String.join(" or ", taken);
    String given = type.isEmpty() ? "none" : type;
    String message = "Content-Type: %s, expected %s".formatted(given, expected);
    return new ApiException(Problem.UNSUPPORTED_TYPE, "Content-Type", given, expected, message);
  }

  /**
   * A body that is too large.
   *
   * @param bytes that it has
   */
  static ApiException tooLarge(long bytes) {
    String given = bytes + " bytes";
    String expected = "at most %d bytes".formatted(Limits.BODY);
    String message = "body: %s, expected %s".formatted(given, expected);
    return new ApiException(Problem.TOO_LARGE, "body", given, expected, message);
  }

  /** Whoever calls has not said who they are. */
  static ApiException login() {
    return login("none", TOKEN);
  }

  /** Why somebody is not let in by what they sent. */
  public static ApiException refusal(Login login) {
    return switch (login) {
      case Login.Unknown unknown -> login("a token that is unknown or has expired", TOKEN);
      case Login.Flawed flawed -> login(flawed.given(), TOKEN + " or of stoker.oidc.issuer");
      case Login.NotAllowed not -> notAllowed(not.field(), not.value(), not.expected());
      case Login.Unavailable away -> unavailable(away.why());
      case Login.Blocked blocked -> tooMany(blocked.seconds());
      case Login.Taken taken -> throw new IllegalArgumentException("it is taken");
    };
  }

  private static ApiException login(String given, String expected) {
    String message = "Authorization: %s, expected %s".formatted(given, expected);
    return new ApiException(Problem.LOGIN, "Authorization", given, expected, message);
  }

  /** Nobody of the name in a caller's certificate is let in. */
  static ApiException stranger(String name) {
    String given = "CN=" + name;
    String expected = "a name of stoker.http.tokens-file that calls with a certificate";
    String message = "certificate: %s, expected %s".formatted(given, expected);
    return new ApiException(Problem.LOGIN, "certificate", given, expected, message);
  }

  /**
   * Too many tokens from an address were wrong.
   *
   * @param seconds until one is looked at again
   */
  static ApiException tooMany(long seconds) {
    String message =
        "Authorization: too many wrong tokens from this address; try again in %d s"
            .formatted(seconds);
    return new ApiException(Problem.TOO_MANY, "Authorization", null, null, message);
  }

  /**
   * Whoever calls does it too often.
   *
   * @param seconds until the next call is answered
   */
  static ApiException tooOften(long seconds) {
    String message = "too many calls; try again in %d s".formatted(seconds);
    return new ApiException(Problem.TOO_MANY, null, null, null, message);
  }

  /** Whoever calls reads as many outputs as they may. */
  static ApiException tooManyLogs(int most) {
    String message = "logs: at most %d are read at a time by one caller".formatted(most);
    return new ApiException(Problem.TOO_MANY, "logs", null, null, message);
  }

  /** Whoever calls may not do that with this. */
  /** 403: who calls may not do that. */
  public static ApiException notAllowed(String field, String value, String expected) {
    String message = "%s: %s, expected %s".formatted(field, value, expected);
    return new ApiException(Problem.NOT_ALLOWED, field, value, expected, message);
  }

  /** Whoever calls has not the role for that. */
  static ApiException role(String name, String role) {
    String message = "%s has the role %s, which may not do that".formatted(name, role);
    return new ApiException(Problem.NOT_ALLOWED, "role", role, null, message);
  }

  static ApiException foreignPage(String header, String value) {
    String expected = "no page of another site";
    String message = "%s: %s, expected %s".formatted(header, value, expected);
    return new ApiException(Problem.FOREIGN_PAGE, header, value, expected, message);
  }

  static ApiException foreignName(String host) {
    String expected = "an address, a name of a private network, or one of stoker.http.names";
    String message = "Host: %s, expected %s".formatted(host, expected);
    return new ApiException(Problem.FOREIGN_NAME, "Host", host, expected, message);
  }

  public ApiError error() {
    return error;
  }
}
