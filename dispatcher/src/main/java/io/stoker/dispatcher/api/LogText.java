package io.stoker.dispatcher.api;

import io.stoker.common.json.Json;
import io.stoker.common.message.LogChunk;

/** How a chunk of output is shown. */
final class LogText {
  private LogText() {}

  static String of(LogChunk chunk, boolean json) {
    if (json) {
      return Json.text(chunk) + "\n";
    }
    String text = chunk.text() == null ? "" : chunk.text();
    return chunk.truncated() ? text + "[the rest of the output is not kept]\n" : text;
  }
}
