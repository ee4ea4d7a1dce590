package io.stoker.cli.top;

import io.stoker.common.message.RequestStatus;
import java.util.Comparator;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The view that somebody at a terminal wants to see, and the keys that change it.
 *
 * @param filter only what holds this text, in any case; empty for all
 * @param typing whether keys are letters of the filter
 * @param over whether nothing more is wanted
 */
record Wish(Order order, String filter, boolean typing, boolean over) {
  static final Wish FIRST = new Wish(Order.NEWEST, "", false, false);

  private static final char ESCAPE = 27;
  private static final char BACKSPACE = 8;
  private static final char DELETE = 127;
  private static final int LONGEST = 40;

  /** What running jobs are in the order of. */
  enum Order {
    NEWEST(null),
    LONGEST(RequestStatus::startedAt),
    QUEUE(RequestStatus::queue),
    HOST(RequestStatus::host),
    ID(RequestStatus::id);

    private final Function<RequestStatus, String> by;

    Order(Function<RequestStatus, String> by) {
      this.by = by;
    }

    private Order next() {
      return values()[(ordinal() + 1) % values().length];
    }
  }

  /** After a key was pressed. */
  Wish after(char key) {
    if (typing) {
      return typed(key);
    }
    return switch (key) {
      case 'q', 'Q' -> new Wish(order, filter, false, true);
      case 's', 'S' -> new Wish(order.next(), filter, false, false);
      case '/' -> new Wish(order, "", true, false);
      case ESCAPE -> new Wish(order, "", false, false);
      default -> this;
    };
  }

  private Wish typed(char key) {
    return switch (key) {
      case '\n', '\r' -> new Wish(order, filter, false, false);
      case ESCAPE -> new Wish(order, "", false, false);
      case BACKSPACE, DELETE ->
          new Wish(order, filter.substring(0, Math.max(0, filter.length() - 1)), true, false);
      default ->
          Character.isISOControl(key) || filter.length() >= LONGEST
              ? this
              : new Wish(order, filter + key, true, false);
    };
  }

  /** Whether something is wanted of which these are the texts. */
  boolean wants(String... texts) {
    String wanted = filter.toLowerCase(Locale.ROOT);
    return Stream.of(texts)
        .filter(Objects::nonNull)
        .anyMatch(text -> text.toLowerCase(Locale.ROOT).contains(wanted));
  }

  /** In the order that is wanted; those that come as they are stay so. */
  Stream<RequestStatus> ordered(Stream<RequestStatus> running) {
    return order.by == null
        ? running
        : running.sorted(
            Comparator.comparing(order.by, Comparator.nullsLast(Comparator.naturalOrder())));
  }

  /** What keys there are, and what they have done so far. */
  String keys() {
    if (typing) {
      return "filter: " + filter + "_   Enter keeps it, Esc takes it away";
    }
    String kept = filter.isEmpty() ? "/ filter" : "/ filter: " + filter + " (Esc: all)";
    return "q quit   s sort: %s   %s".formatted(order.name().toLowerCase(Locale.ROOT), kept);
  }
}
