package io.stoker.dispatcher.service.access;

import java.time.Duration;

/** The result of checking a caller's credentials. */
public sealed interface Login {
  record Taken(Caller caller) implements Login {}

  /** No token of the file that is in force. */
  record Unknown() implements Login {}

  /**
   * Not as the issuer's tokens are.
   *
   * @param given what it is instead
   */
  record Flawed(String given) implements Login {}

  /**
   * It is known who they are, and they may do nothing.
   *
   * @param field the claim that says so
   * @param value what it holds
   */
  record NotAllowed(String field, String value, String expected) implements Login {}

  /**
   * The issuer cannot be asked.
   *
   * @param why a sentence
   */
  record Unavailable(String why) implements Login {}

  /**
   * Too many were wrong.
   *
   * @param left until one is looked at again
   */
  record Blocked(Duration left) implements Login {
    /** The same in whole seconds, for who is to wait as long. */
    public long seconds() {
      return left.toSeconds() + 1;
    }
  }
}
