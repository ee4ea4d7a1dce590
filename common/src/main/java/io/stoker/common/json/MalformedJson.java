package io.stoker.common.json;

/** Bytes that are not one JSON value, or not the message that was expected. */
public final class MalformedJson extends Exception {
  public MalformedJson(String message) {
    super(message);
  }
}
