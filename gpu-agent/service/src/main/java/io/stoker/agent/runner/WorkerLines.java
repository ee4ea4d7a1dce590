package io.stoker.agent.runner;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.WorkerKey;
import io.stoker.agent.pool.Answer;
import io.stoker.agent.secret.Masks;
import io.stoker.common.json.Json;
import io.stoker.common.json.JsonRules;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.text.PlainText;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/**
 * Finds what a worker says among the lines of its stdout, however they come in pieces; see
 * docs/pools.md. Every other line is left out and takes no memory.
 */
final class WorkerLines {
  private static final String WORD = "#stoker:worker ";
  private static final int MAX_RESULT = MarkerLines.MAX_RESULT;
  private static final int MAX_LINE = MAX_RESULT + 4 * 1024;
  private static final int MAX_MESSAGE = 2_000;

  private final WorkerKey key;
  private final SaidByRun voice;
  private final Masks masks;
  private final String end;
  private final MarkedLine line = new MarkedLine(MAX_LINE + 1);
  private int length;
  private boolean over;

  /** Jobs that it was told and has not answered, in order. */
  private final Set<Long> told = new LinkedHashSet<>();

  /**
   * @param masks what nobody is to hear of results, progress and messages
   * @param end the line behind which nothing comes
   */
  WorkerLines(WorkerKey key, SaidByRun voice, Masks masks, String end) {
    this.key = key;
    this.voice = voice;
    this.masks = masks;
    this.end = end;
  }

  /** It is told to do a job. */
  void told(long n) {
    synchronized (told) {
      told.add(n);
    }
  }

  private void over(long n) {
    synchronized (told) {
      told.remove(n);
    }
  }

  /** The job that it runs; 0 if it was told none. */
  private long front() {
    synchronized (told) {
      return told.isEmpty() ? 0 : told.iterator().next();
    }
  }

  boolean over() {
    return over;
  }

  void accept(byte[] bytes, int length) {
    int from = 0;
    for (int i = 0; i < length && !over; i++) {
      if (bytes[i] == '\n') {
        line.add(bytes, from, i);
        line.end().ifPresent(this::take);
        from = i + 1;
      }
    }
    line.add(bytes, from, length);
  }

  private void take(byte[] said) {
    length = said.length;
    take(new String(said, StandardCharsets.UTF_8));
  }

  private void take(String text) {
    if (text.equals(end)) {
      over = true;
    } else if (text.startsWith(WORD)) {
      String said = text.substring(WORD.length());
      if (length > MAX_LINE) {
        String why = "its result is larger than " + MAX_RESULT + " bytes";
        unread(said, new Answer.Unkept(why), "its worker said more than can be read");
        return;
      }
      try {
        read(Json.read(said));
      } catch (MalformedJson e) {
        String why = "its worker said what is no JSON: " + problem(said);
        unread(said, new Answer.Failed(why), why);
      }
    }
  }

  /**
   * Says of the job that it runs what a line is worth that cannot be read to its end.
   *
   * @param end if it begins as the answer to a job that is over
   * @param why it is unclear, if it does not tell what it is
   */
  private void unread(String said, Answer end, String why) {
    switch (Json.textOf(said, "is").orElse("")) {
      case "done", "error", "oom" -> end(front(), end);
      case "progress" -> {} // it goes on
      default -> answer(front(), new Answer.Unclear(why));
    }
  }

  /** What is wrong with it once secrets are hidden: a part of what is wrong is quoted there. */
  private String problem(String said) {
    try {
      Json.read(hidden(said.getBytes(StandardCharsets.UTF_8)));
      return "what is hidden in it";
    } catch (MalformedJson e) {
      return PlainText.of(e.getMessage(), MAX_MESSAGE);
    }
  }

  private void read(JsonNode said) {
    if (said.path("v").asInt(Answer.VERSION) != Answer.VERSION) {
      answer(
          front(),
          new Answer.Unclear(
              shown(
                  "its worker speaks version %s of the protocol, this agent %d"
                      .formatted(said.get("v"), Answer.VERSION))));
      return;
    }
    long n = said.path("n").asLong();
    switch (said.path("is").asText()) {
      case "ready" -> voice.say(new Input.WorkerReady(key, said.path("ahead").asInt(0)), length);
      case "started" -> answer(n, new Answer.Begun());
      case "withdrawn" -> end(n, new Answer.Withdrawn());
      case "done" -> end(n, done(said.get("result")));
      case "error" -> end(n, new Answer.Failed(message(said)));
      case "oom" -> end(n, new Answer.OutOfMemory(message(said)));
      case "progress" -> {
        if (said.has("value") && JsonRules.storable(said.get("value"))) {
          answer(n, new Answer.Progress(hidden(said.get("value"))));
        }
      }
      default -> {
        // A later version may say more.
      }
    }
    if (said.has("started")) {
      answer(said.path("started").asLong(), new Answer.Begun());
    }
  }

  private void end(long n, Answer answer) {
    over(n);
    answer(n, answer);
  }

  private Answer done(JsonNode result) {
    if (result == null || result.isNull()) {
      return new Answer.Done(Optional.empty());
    }
    if (!JsonRules.storable(result)) {
      return new Answer.Unkept("its result " + MarkerLines.UNSTORABLE);
    }
    return result.toString().getBytes(StandardCharsets.UTF_8).length > MAX_RESULT
        ? new Answer.Unkept("its result is larger than " + MAX_RESULT + " bytes")
        : new Answer.Done(Optional.of(hidden(result)));
  }

  private String message(JsonNode said) {
    return shown(said.path("message").asText("it failed and did not say why"));
  }

  private String shown(String message) {
    return PlainText.of(hidden(message.getBytes(StandardCharsets.UTF_8)), MAX_MESSAGE);
  }

  private String hidden(byte[] text) {
    return new String(masks.hide(text), StandardCharsets.UTF_8);
  }

  /** It is JSON still: where a number or a word was hidden it is a text. */
  private JsonNode hidden(JsonNode said) {
    if (masks.longest() == 0) {
      return said;
    }
    String json = hidden(Json.bytes(said));
    try {
      return Json.read(json);
    } catch (MalformedJson e) {
      return TextNode.valueOf(json);
    }
  }

  private void answer(long n, Answer answer) {
    voice.say(new Input.WorkerAnswered(key, n, answer), length);
  }
}
