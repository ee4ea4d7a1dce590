package io.stoker.dispatcher.report;

import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.report.GroupFacts.Item;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Scores in the order in which they came, and the best so far. */
public final class ScorePlot {
  private static final int WIDTH = 900;
  private static final int HEIGHT = 300;
  private static final int LEFT = 70;
  private static final int BOTTOM = 40;
  private static final int TOP = 14;

  private ScorePlot() {}

  /** Nothing where nothing has a score. */
  public static Optional<String> of(GroupFacts facts) {
    List<Item> scored =
        facts.requests().stream()
            .filter(item -> item.state() == RequestState.SUCCEEDED && item.score() != null)
            .sorted(Comparator.comparingLong(item -> item.endedAt() == null ? 0 : item.endedAt()))
            .toList();
    return scored.isEmpty() ? Optional.empty() : Optional.of(draw(facts, scored));
  }

  private static String draw(GroupFacts facts, List<Item> scored) {
    Svg svg = new Svg(WIDTH, HEIGHT, "Scores in the order of their coming");
    double least = scored.stream().mapToDouble(Item::score).min().orElseThrow();
    double most = scored.stream().mapToDouble(Item::score).max().orElseThrow();
    Axis y = Axis.around(least, most, HEIGHT - BOTTOM, TOP);
    Axis x = new Axis(0, scored.size() + 1, LEFT, WIDTH - 10);
    for (double mark : y.marks()) {
      svg.line(LEFT, y.at(mark), WIDTH - 10, y.at(mark), "grid");
      svg.text(LEFT - 8, y.at(mark) + 4, "end", Axis.number(mark));
    }
    for (double mark : x.marks()) {
      if (mark >= 1 && mark == Math.rint(mark)) {
        svg.text(x.at(mark), HEIGHT - BOTTOM + 18, "middle", Axis.number(mark));
      }
    }
    svg.text((LEFT + WIDTH) / 2.0, HEIGHT - 4, "middle", "in the order of their ends");
    svg.path(best(facts, scored, x, y), "best-line");
    for (int i = 0; i < scored.size(); i++) {
      Item item = scored.get(i);
      boolean best = item.id().equals(facts.best());
      svg.dot(
          x.at(i + 1),
          y.at(item.score()),
          best ? 6 : 4,
          best ? "dot best" : "dot",
          item.id() + ": " + item.score() + (item.params() == null ? "" : "\n" + item.params()));
    }
    return svg.toString();
  }

  /** In steps. */
  private static String best(GroupFacts facts, List<Item> scored, Axis x, Axis y) {
    boolean min = "min".equals(facts.objective());
    StringBuilder path = new StringBuilder();
    double best = scored.getFirst().score();
    for (int i = 0; i < scored.size(); i++) {
      double score = scored.get(i).score();
      path.append(
          i == 0
              ? String.format(Locale.ROOT, "M %.1f %.1f", x.at(1), y.at(best))
              : String.format(Locale.ROOT, " H %.1f", x.at(i + 1)));
      if (min ? score < best : score > best) {
        best = score;
        path.append(String.format(Locale.ROOT, " V %.1f", y.at(best)));
      }
    }
    return path.append(String.format(Locale.ROOT, " H %d", WIDTH - 10)).toString();
  }
}
