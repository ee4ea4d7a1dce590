package io.stoker.cli.input;

import java.io.InputStream;

/** Nobody may read from it. */
final class InputStreamThatFails extends InputStream {
  static final InputStream INSTANCE = new InputStreamThatFails();

  @Override
  public int read() {
    throw new AssertionError("standard input is not what was asked for");
  }
}
