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

  /** Host memory that each asks for at least, if it says so. */
  private static final long MEMORY = 64L << 20;

  private static final int QUEUES = 20;

  private final String prefix;
  private final int meanings;
  private final Details details;
  private int made;

  /** What a request says beside its id, its parameter and its group. */
  private interface Details {
    void say(ObjectNode request, int number);
  }

  /** Each has a meaning of its own. */
  Requests(String what) {
    this(what, Integer.MAX_VALUE);
  }

  /**
   * @param meanings so many in a row mean something of their own, and those after them the same
   *     again
   */
  Requests(String what, int meanings) {
    this(what, meanings, (request, number) -> command(request, "/bin/true"));
  }

  private Requests(String what, int meanings, Details details) {
    this.prefix = "bench-" + what + "-" + UUID.randomUUID() + "-";
    this.meanings = meanings;
    this.details = details;
  }

  /** Requests that warm workers run. */
  static Requests onPool(String what) {
    return new Requests(what, Integer.MAX_VALUE, (request, number) -> request.put("workers", POOL));
  }

  /**
   * Requests that say how much memory they take.
   *
   * @param shapes so many in a row ask for different amounts
   */
  static Requests ofShapes(String what, int shapes, int priority) {
    return new Requests(
        what,
        Integer.MAX_VALUE,
        (request, number) -> {
          command(request, "/bin/true");
          request.putObject("resources").put("memory", MEMORY + number % shapes);
          request.put("priority", priority);
        });
  }

  /**
   * Requests of 20 queues, of groups of 1,000, by 50 people, of which one in 20 fails. The first 50
   * are of a queue and a group of their own, {@code rare}, and have a label that no other has.
   */
  static Requests mixed(String what) {
    return new Requests(
        what,
        Integer.MAX_VALUE,
        (request, number) -> {
          boolean rare = number < 50;
          command(request, number % 20 == 7 ? VirtualHost.FAILS : "/bin/true");
          request.put("queue", rare ? "rare" : "queue" + number % QUEUES);
          request.put("group", rare ? "rare" : "group-" + number / 1000);
          request.put("user", "user-" + number % 50);
          request.put("priority", number % 5);
          request.putObject("labels").put("team", rare ? "rare" : "team-" + number % 7);
        });
  }

  /** The queues of {@link #mixed}, which are to be configured. */
  static Stream<String> queues() {
    return Stream.concat(Stream.of("rare"), IntStream.range(0, QUEUES).mapToObj(i -> "queue" + i));
  }

  private static void command(ObjectNode request, String program) {
    request.putArray("command").add(program);
  }

  /** One request on its way. */
  record Made(String id, byte[] body) {}

  Made next() {
    int number = made++;
    String id = id(number);
    ObjectNode request = JsonNodeFactory.instance.objectNode();
    request.put("id", id);
    request.putObject("params").put("bench", id(number % meanings));
    request.put("group", "bench");
    details.say(request, number);
    return new Made(id, Json.bytes(request));
  }

  /** The ids of all that were made. */
  Stream<String> ids() {
    return IntStream.range(0, made).mapToObj(this::id);
  }

  /** The id of one that was made, from 0 on. */
  String id(int number) {
    return prefix + number;
  }

  /** Whether an id is one of these. */
  boolean owns(String id) {
    return id.startsWith(prefix);
  }
}
