package io.stoker.cli.terminal;

import io.stoker.common.state.RequestState;

/** The styles of text on a terminal that shows colours. */
public enum Style {
  PLAIN(""),
  GOOD("32"),
  BAD("31"),
  BUSY("36"),
  WAITING("33"),
  FAINT("2"),
  HEADING("1");

  private final String code;

  Style(String code) {
    this.code = code;
  }

  /** The same style for the same state, wherever it is shown. */
  public static Style of(RequestState state) {
    return switch (state) {
      case SUCCEEDED -> GOOD;
      case FAILED, REJECTED -> BAD;
      case RUNNING -> BUSY;
      case PLACED, QUEUED, WAITING -> WAITING;
      case CANCELLED -> FAINT;
    };
  }

  String around(String text) {
    return code.isEmpty() ? text : "\u001b[%sm%s\u001b[0m".formatted(code, text);
  }
}
