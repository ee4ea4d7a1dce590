package io.stoker.cli.bench;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.stoker.common.json.Json;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Requests that nobody has posted before. */
final class Requests {
  /** The pool of a stack that is measured, by its name. */
  static final String POOL = "bench";

  private final String prefix;

  /** Host memory that each asks for at least, if it says so. */
  private static final long MEMORY = 64L << 20;

  private final boolean onPool;
  private final int meanings;
  private final int shapes;
  private final int priority;
  private int made;

  /** Each has a meaning of its own. */
  Requests(String what) {
    this(what, Integer.MAX_VALUE, false, 0, 0);
  }

  /**
   * @param meanings so many in a row mean something of their own, and those after them the same
   *     again
   */
  Requests(String what, int meanings) {
    this(what, meanings, false, 0, 0);
  }

  private Requests(String what, int meanings, boolean onPool, int shapes, int priority) {
    this.onPool = onPool;
    this.shapes = shapes;
    this.priority = priority;
    this.prefix = "bench-" + what + "-" + UUID.randomUUID() + "-";
    this.meanings = meanings;
  }

  /** Requests that warm workers run. */
  static Requests onPool(String what) {
    return new Requests(what, Integer.MAX_VALUE, true, 0, 0);
  }

  /**
   * Requests that say how much memory they take.
   *
   * @param shapes so many in a row ask for different amounts
   */
  static Requests ofShapes(String what, int shapes, int priority) {
    return new Requests(what, Integer.MAX_VALUE, false, shapes, priority);
  }

  /** One request on its way. */
  record Made(String id, byte[] body) {}

  Made next() {
    int number = made++;
    String id = id(number);
    ObjectNode request = JsonNodeFactory.instance.objectNode();
    request.put("id", id);
    if (onPool) {
      request.put("workers", POOL);
    } else {
      request.putArray("command").add("/bin/true");
    }
    request.putObject("params").put("bench", id(number % meanings));
    request.put("group", "bench");
    if (shapes > 0) {
      request.putObject("resources").put("memory", MEMORY + number % shapes);
      request.put("priority", priority);
    }
    return new Made(id, Json.bytes(request));
  }

  /** The ids of all that were made. */
  Stream<String> ids() {
    return IntStream.range(0, made).mapToObj(this::id);
  }

  private String id(int number) {
    return prefix + number;
  }

  /** Whether an id is one of these. */
  boolean owns(String id) {
    return id.startsWith(prefix);
  }
}
