package io.stoker.dispatcher.service.page;

import java.time.Duration;

/**
 * The content of a view, as far as it tells which changes concern it.
 *
 * @param name of the one that it is about; null where it is about all
 */
record Watch(Of of, String name) {
  /** Kinds of views. */
  enum Of {
    /** Hosts, queues and requests. */
    ALL,
    /** Requests alone. */
    REQUESTS,
    REQUEST,
    HOST,
    QUEUE,
    GROUP
  }

  /** At most four times a second. */
  private static final Duration PACE = Duration.ofMillis(250);

  /** Where any change is one of it: nobody reads a long list faster. */
  private static final Duration WIDE = Duration.ofSeconds(1);

  boolean concerns(Change change) {
    return switch (of) {
      case ALL -> true;
      case REQUESTS -> change.id() != null;
      case REQUEST -> name.equals(change.id());
      case HOST -> change.isOn(name);
      case QUEUE -> name.equals(change.queue());
      case GROUP -> name.equals(change.group());
    };
  }

  /** Whether it shows what nobody tells: that Postgres or Redis is away, or a time that is up. */
  boolean untold() {
    return of == Of.ALL || of == Of.HOST;
  }

  /** The least time from one signal to the next. */
  Duration pace() {
    return of == Of.REQUEST || of == Of.GROUP ? PACE : WIDE;
  }
}
