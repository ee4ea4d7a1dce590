package io.stoker.cli.status;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.outcome.CliException;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.RequestState;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Tells why requests do not go on, once that lasts, and again when it changes. Of many nothing is
 * told: somebody who waits for those wants to know how far they are.
 */
public final class WhyWaiting {
  private static final int FEW = 3;
  private static final long FIRST = Duration.ofMillis(500).toNanos();

  /** Whatever moves may be what it waits for; asked no more often than this. */
  private static final long APART = Duration.ofSeconds(1).toNanos();

  /** Of what moves without a status, such as a host that comes back, nobody tells. */
  private static final long AT_LEAST = Duration.ofSeconds(10).toNanos();

  private static final long NO_STATUS = -1;
  private static final long NEVER_ASKED = -2;

  private final Function<String, Optional<JsonNode>> explain;
  private final Consumer<String> teller;
  private final LongSupplier nanos;
  private final long began;
  private final Map<String, Told> byId = new HashMap<>();

  private static final class Told {
    private String text;
    private long asked;
    private boolean again;
    private long version = NEVER_ASKED;
  }

  /**
   * @param explain asks a dispatcher; may fail, which is not told
   * @param teller gets a line for people
   */
  public WhyWaiting(Function<String, Optional<JsonNode>> explain, Consumer<String> teller) {
    this(explain, teller, System::nanoTime);
  }

  WhyWaiting(
      Function<String, Optional<JsonNode>> explain, Consumer<String> teller, LongSupplier nanos) {
    this.explain = explain;
    this.teller = teller;
    this.nanos = nanos;
    this.began = nanos.getAsLong();
  }

  /**
   * Looks at those that have not ended.
   *
   * @param newest what is known of each
   * @param moved whether any status came since the last look
   */
  public void look(
      Collection<String> open, Function<String, Optional<RequestStatus>> newest, boolean moved) {
    if (open.size() > FEW) {
      return;
    }
    open.forEach(id -> look(id, newest.apply(id), moved));
  }

  /**
   * Its output comes, which may be ahead of the status that says so: the wait is over, and neither
   * it nor its end is news.
   */
  public void runs(String id, Optional<RequestStatus> newest) {
    Told told = byId.computeIfAbsent(id, first -> new Told());
    told.text = null;
    told.asked = nanos.getAsLong();
    told.version = version(newest);
  }

  private void look(String id, Optional<RequestStatus> status, boolean moved) {
    Told told = byId.computeIfAbsent(id, first -> new Told());
    told.again |= moved;
    long now = nanos.getAsLong();
    if (now - began < FIRST) {
      return;
    }
    Optional<String> text =
        status.filter(WhyWaiting::hasAHost).isPresent()
            ? onItsHost(status.get(), told.text != null)
            : asked(id, status, told, now);
    if (text.isPresent() && !timeless(text.get()).equals(timeless(told.text))) {
      told.text = text.get();
      teller.accept(id + " " + text.get());
    }
  }

  /** That somebody holds something for longer is no news. */
  private static String timeless(String text) {
    return text == null ? "" : text.replaceAll("since \\d+ (s|min|h)", "");
  }

  private static boolean hasAHost(RequestStatus status) {
    return status.state() == RequestState.PLACED || status.state() == RequestState.RUNNING;
  }

  /** What has started without a wait needs no word. */
  private static Optional<String> onItsHost(RequestStatus status, boolean waited) {
    String where = "%s on %s".formatted(status.state(), status.host());
    Optional<String> held = held(status.progress());
    return held.isPresent()
        ? Optional.of(where + ", " + held.get())
        : Optional.of(where).filter(any -> waited);
  }

  /** What its host says of why it does not go on; empty if it says nothing. */
  public static Optional<String> held(JsonNode progress) {
    return progress == null || !progress.hasNonNull("stage") || !progress.hasNonNull("message")
        ? Optional.empty()
        : Optional.of(progress.path("stage").asText() + ": " + progress.path("message").asText());
  }

  private Optional<String> asked(String id, Optional<RequestStatus> status, Told told, long now) {
    long version = version(status);
    boolean news = version != told.version;
    long since = now - told.asked;
    if (!news && since < (told.again ? APART : AT_LEAST)) {
      return Optional.empty();
    }
    told.asked = now;
    told.again = false;
    told.version = version;
    try {
      Optional<JsonNode> why = explain.apply(id);
      if (why.isEmpty()) {
        return Optional.of("is posted; no dispatcher has taken it up yet");
      }
      String state = why.get().path("state").asText();
      // A dispatcher knows of the end before whoever reads the topic, where it is told.
      return isTerminal(state)
          ? Optional.empty()
          : Optional.of(state + ": " + why.get().path("sentence").asText());
    } catch (CliException unreachable) {
      told.version = NEVER_ASKED;
      return Optional.empty();
    }
  }

  /** Whether it is one of those that are known here: a newer dispatcher may have others. */
  private static boolean isTerminal(String state) {
    return Arrays.stream(RequestState.values())
        .anyMatch(known -> known.terminal() && known.name().equals(state));
  }

  private static long version(Optional<RequestStatus> status) {
    return status.map(RequestStatus::version).orElse(NO_STATUS);
  }
}
