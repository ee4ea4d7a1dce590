package io.stoker.cli.bench;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.stoker.common.json.Json;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Requests that nobody has posted before, each with a meaning of its own. */
final class Requests {
  /** The pool of a stack that is measured, by its name. */
  static final String POOL = "bench";

  private final String prefix;
  private final boolean onPool;
  private int made;

  Requests(String what) {
    this(what, false);
  }

  private Requests(String what, boolean onPool) {
    this.onPool = onPool;
    this.prefix = "bench-" + what + "-" + UUID.randomUUID() + "-";
  }

  /** Requests that warm workers run. */
  static Requests onPool(String what) {
    return new Requests(what, true);
  }

  /** One request on its way. */
  record Made(String id, byte[] body) {}

  Made next() {
    String id = id(made++);
    ObjectNode request = JsonNodeFactory.instance.objectNode();
    request.put("id", id);
    if (onPool) {
      request.put("workers", POOL);
    } else {
      request.putArray("command").add("/bin/true");
    }
    request.putObject("params").put("bench", id);
    request.put("group", "bench");
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
