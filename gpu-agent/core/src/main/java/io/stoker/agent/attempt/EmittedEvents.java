package io.stoker.agent.attempt;

import io.stoker.agent.attempt.JournalEntry.Told;
import io.stoker.common.message.AttemptEvent.Type;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Records which lines of their output attempts have made events of, and which of these events the
 * broker may not have. An agent reads the output of what it takes over from its beginning: a line
 * that an earlier one has told is told again only if that may be lost, and then as the same event.
 */
final class EmittedEvents {
  /** Results of an attempt that may be lost and are remembered one by one: the newest. */
  static final int MOST_OPEN = 10_000;

  private final Map<AttemptKey, Lines> attempts = new HashMap<>();

  private static final class Lines {
    private Told progress;
    private Told result;

    /** Results that the broker may not have, by the ends of their lines. */
    private final TreeMap<Long, Told> open = new TreeMap<>();

    private final Map<Integer, Long> ends = new HashMap<>();

    private void add(Told line) {
      if (line.what() == Type.PROGRESS) {
        progress = line;
      } else {
        result = line;
        open.put(line.until(), line);
        ends.put(line.seq(), line.until());
      }
      while (!open.isEmpty() && (open.firstKey() <= line.taken() || open.size() > MOST_OPEN)) {
        ends.remove(open.pollFirstEntry().getValue().seq());
      }
    }

    /** The broker has all results whose lines end here or before. */
    private long taken() {
      if (!open.isEmpty()) {
        return open.firstKey() - 1;
      }
      return result == null ? 0 : result.until();
    }

    private List<Told> snapshot() {
      List<Told> entries = new ArrayList<>(open.values());
      if (open.isEmpty() && result != null) {
        entries.add(result);
      }
      if (progress != null) {
        entries.add(progress);
      }
      long taken = taken();
      return entries.stream().map(line -> at(line, taken)).toList();
    }

    private static Told at(Told line, long taken) {
      return new Told(
          line.job(), line.attempt(), line.what(), line.seq(), line.at(), line.until(), taken);
    }
  }

  void add(Told line) {
    attempts
        .computeIfAbsent(new AttemptKey(line.job(), line.attempt()), key -> new Lines())
        .add(line);
  }

  /** Whether a line, or a later one of its kind, has been told. */
  boolean knows(AttemptKey key, Type what, long until) {
    return attempts.containsKey(key)
        && last(attempts.get(key), what).map(line -> line.until() >= until).orElse(false);
  }

  private static Optional<Told> last(Lines lines, Type what) {
    return Optional.ofNullable(what == Type.PROGRESS ? lines.progress : lines.result);
  }

  /** What was told of a line, if that may be lost. */
  Optional<Told> maybeLost(AttemptKey key, Type what, long until) {
    Lines lines = attempts.get(key);
    if (lines == null) {
      return Optional.empty();
    }
    return what == Type.PROGRESS
        ? last(lines, what).filter(line -> line.until() == until)
        : Optional.ofNullable(lines.open.get(until));
  }

  /** What the next agent has to know that reads the attempt's output again. */
  ToldBefore before(AttemptKey key) {
    Lines lines = attempts.get(key);
    return lines == null || lines.result == null
        ? ToldBefore.NOTHING
        : new ToldBefore(lines.result.until(), Set.copyOf(lines.open.keySet()));
  }

  /** Whether results may be lost. */
  boolean owes(AttemptKey key) {
    return attempts.containsKey(key) && !attempts.get(key).open.isEmpty();
  }

  /** The broker has a result. */
  void taken(AttemptKey key, int seq) {
    Lines lines = attempts.get(key);
    if (lines != null && lines.ends.containsKey(seq)) {
      lines.open.remove(lines.ends.remove(seq));
    }
  }

  /** The broker has all results whose lines end here or before. */
  long taken(AttemptKey key) {
    return attempts.containsKey(key) ? attempts.get(key).taken() : 0;
  }

  /** Nothing more comes of it. */
  void drop(AttemptKey key) {
    attempts.remove(key);
  }

  /** What must be journaled to come to this. */
  List<Told> snapshot() {
    return attempts.values().stream().flatMap(lines -> lines.snapshot().stream()).toList();
  }
}
