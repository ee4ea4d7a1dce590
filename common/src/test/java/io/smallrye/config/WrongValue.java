package io.smallrye.config;

/** What the library that reads settings throws, which is not on this module's path. */
public final class WrongValue extends RuntimeException {
  public WrongValue(String message) {
    super(message);
  }
}
