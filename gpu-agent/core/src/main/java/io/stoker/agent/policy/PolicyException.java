package io.stoker.agent.policy;

/** A policy, or a parameter of one, that cannot be used: says which, and what was expected. */
public final class PolicyException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public PolicyException(String message) {
    super(message);
  }
}
