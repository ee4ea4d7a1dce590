package io.stoker.common.json;

import java.util.Optional;

/** Bytes that are not one JSON value, or not the message that was expected. */
public final class MalformedJson extends Exception {
  private final transient Mismatch mismatch;

  public MalformedJson(String message) {
    super(message);
    mismatch = null;
  }

  MalformedJson(Mismatch mismatch) {
    super(mismatch.sentence());
    this.mismatch = mismatch;
  }

  /** Which value is not what it should be; empty if it is no JSON at all. */
  public Optional<Mismatch> mismatch() {
    return Optional.ofNullable(mismatch);
  }
}
