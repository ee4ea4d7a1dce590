package io.stoker.agent.pool;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Optional;

/** The answer of a worker to a job. */
public sealed interface Answer {

  /** Of the protocol that workers speak. */
  int VERSION = 1;

  /** Jobs that a worker may be told to do behind the one that it runs. */
  int MOST_AHEAD = 8;

  /** It is done, with a result or without. */
  record Done(Optional<JsonNode> result) implements Answer {}

  /** It is done, but its result cannot be kept; the worker goes on. */
  record Unkept(String why) implements Answer {}

  /** It failed; the worker goes on. */
  record Failed(String message) implements Answer {}

  /** What it said cannot be understood: nobody knows whether it is over, or still runs. */
  record Unclear(String why) implements Answer {}

  /** It ran out of memory; the worker goes on. */
  record OutOfMemory(String message) implements Answer {}

  /** It has got so far. */
  record Progress(JsonNode value) implements Answer {}

  /** The worker has begun it. */
  record Begun() implements Answer {}

  /** The worker has not begun it and will not, as it was told. */
  record Withdrawn() implements Answer {}
}
