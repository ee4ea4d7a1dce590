package io.stoker.dispatcher.placement;

import io.stoker.dispatcher.model.Shape;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The part of the line that was read for a pass.
 *
 * @param lines in the index's order
 * @param front the first of queues with very many lines, whatever they ask for
 * @param named jobs that were asked for by their ids
 * @param unreadable those that cannot be placed, since what they ask for cannot be read, and why
 */
public record LineRead(
    Map<LineKey, Part> lines,
    List<QueueHead> front,
    List<QueueHead> named,
    Map<String, RuntimeException> unreadable) {
  public static final LineRead NOTHING = new LineRead(Map.of(), List.of(), List.of(), Map.of());

  /**
   * The first of one line.
   *
   * @param asked how many were asked for: if there are as many, more may stand behind them
   */
  public record Part(List<QueueHead> heads, int asked) {
    boolean mayHaveMore() {
      return !heads.isEmpty() && heads.size() >= asked;
    }

    Shape shape() {
      return heads.getFirst().shape();
    }
  }

  /**
   * What is to be read of one line.
   *
   * @param from the rank of the first
   * @param depth how many at most
   */
  public record Reach(long from, int depth) {}

  /** Each job once. */
  public List<QueueHead> heads() {
    Map<String, QueueHead> heads = new LinkedHashMap<>();
    lines.values().forEach(part -> part.heads().forEach(head -> heads.put(head.job(), head)));
    front.forEach(head -> heads.putIfAbsent(head.job(), head));
    named.forEach(head -> heads.putIfAbsent(head.job(), head));
    return List.copyOf(heads.values());
  }

  /** Queues of which anything was read. */
  Set<String> queues() {
    Set<String> queues = front.stream().map(QueueHead::queue).collect(Collectors.toSet());
    lines.keySet().forEach(line -> queues.add(line.queue()));
    return queues;
  }

  /** What was read of a queue's lines, in the index's order. */
  public List<LineKey> of(String queue) {
    return lines.keySet().stream().filter(line -> line.queue().equals(queue)).toList();
  }

  /** So many of a line of which some was read. */
  public Reach reach(LineKey line, int depth) {
    return new Reach(lines.get(line).heads().getFirst().rank(), depth);
  }

  /** The same, with more of some lines. */
  public LineRead with(LineRead deeper) {
    if (deeper.lines().isEmpty()) {
      return this;
    }
    Map<LineKey, Part> all = new LinkedHashMap<>(lines);
    all.putAll(deeper.lines());
    Map<String, RuntimeException> flawed = new LinkedHashMap<>(unreadable);
    flawed.putAll(deeper.unreadable());
    return new LineRead(all, front, named, flawed);
  }

  /** Whether something was placed that no front shows. */
  public boolean foundByTurn(Set<String> placed) {
    if (front.isEmpty()) {
      return false;
    }
    Set<String> shown = front.stream().map(QueueHead::job).collect(Collectors.toSet());
    Set<String> byTurns = front.stream().map(QueueHead::queue).collect(Collectors.toSet());
    return lines.values().stream()
        .flatMap(part -> part.heads().stream())
        .anyMatch(
            head ->
                byTurns.contains(head.queue())
                    && placed.contains(head.job())
                    && !shown.contains(head.job()));
  }

  /** Whether all that was read of some line, or of all fronts, was placed: more may be. */
  public boolean ended(Collection<String> placed) {
    List<List<QueueHead>> parts = new ArrayList<>();
    lines.values().stream().filter(Part::mayHaveMore).forEach(part -> parts.add(part.heads()));
    if (!front.isEmpty()) {
      parts.add(front);
    }
    return parts.stream()
        .anyMatch(part -> part.stream().map(QueueHead::job).allMatch(placed::contains));
  }
}
