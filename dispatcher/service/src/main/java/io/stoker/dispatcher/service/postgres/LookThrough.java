package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.service.postgres.RequestListing.Place;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/**
 * Looks through requests, a part by a statement, until there are enough of those that are wanted,
 * there are no more, or it has taken long: somebody waits for the answer, and can look further
 * back.
 */
record LookThrough<T>(
    StatelessSession session,
    RequestSearch search,
    boolean oldestFirst,
    Question<T> question,
    long began) {
  /** After so long no other part is looked through. */
  private static final long LONG_NANOS = Duration.ofMillis(100).toNanos();

  /** What is asked of one part after the other. */
  interface Question<T> {
    /** What is known before the first. */
    T nothing();

    /**
     * Asks it of one part.
     *
     * @param base finds that part, with {@code limit :window} behind it
     * @param parameters of {@code base} and the window, to which others may be added
     * @param before what parts before it had
     */
    Uni<Answer<T>> ask(
        StatelessSession session, String base, Map<String, Object> parameters, T before);
  }

  /**
   * What is known after a part. How far it went comes from the statement that looked: to another
   * one the newest are others.
   *
   * @param looked how many requests the part had; nothing if no more is wanted
   * @param last place of the last of them
   */
  record Answer<T>(T found, OptionalLong looked, Optional<Place> last) {
    /** After which no more is wanted. */
    static <T> Answer<T> full(T found) {
      return new Answer<>(found, OptionalLong.empty(), Optional.empty());
    }
  }

  /**
   * What is known in the end.
   *
   * @param end the place behind which there may be more; empty where there is none, or was enough
   * @param looked how many requests were looked at, where there may be more
   */
  record Seen<T>(T found, Optional<Place> end, int looked) {}

  /** From behind a place on, if there is one. */
  static <T> Uni<Seen<T>> from(
      Optional<Place> after,
      boolean oldestFirst,
      StatelessSession session,
      RequestSearch search,
      Question<T> question) {
    return new LookThrough<>(session, search, oldestFirst, question, System.nanoTime())
        .from(after, question.nothing(), 0);
  }

  private Uni<Seen<T>> from(Optional<Place> after, T before, int looked) {
    Map<String, Object> parameters = new HashMap<>();
    String base = search.base(after, oldestFirst, parameters);
    parameters.put("window", search.part());
    return question
        .ask(session, base, parameters, before)
        .chain(answer -> behind(answer, looked + search.part()));
  }

  private Uni<Seen<T>> behind(Answer<T> answer, int looked) {
    Optional<Place> end =
        answer.looked().orElse(0) < search.part() ? Optional.empty() : answer.last();
    boolean enough =
        end.isEmpty() || looked >= search.most() || System.nanoTime() - began > LONG_NANOS;
    return enough
        ? Uni.createFrom().item(new Seen<>(answer.found(), end, looked))
        : from(end, answer.found(), looked);
  }
}
