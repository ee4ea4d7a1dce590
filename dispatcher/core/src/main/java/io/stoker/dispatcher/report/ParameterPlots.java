package io.stoker.dispatcher.report;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.report.GroupFacts.Item;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleUnaryOperator;

/** Scores against each parameter that differs: which of them matter is seen at a glance. */
public final class ParameterPlots {
  private static final int WIDTH = 420;
  private static final int HEIGHT = 200;
  private static final int LEFT = 60;
  private static final int BOTTOM = 36;
  private static final int TOP = 10;

  /** More of them nobody compares. */
  private static final int MOST = 12;

  /** Of which the largest is so many times the least, a logarithm shows more. */
  private static final double WIDE = 50;

  private ParameterPlots() {}

  /**
   * A plot.
   *
   * @param svg whose texts are escaped
   */
  public record Plot(String parameter, String svg) {}

  /**
   * Plots.
   *
   * @param all of them that are drawn
   * @param parameters that differ, of which the first are drawn
   */
  public record Drawn(List<Plot> all, int parameters) {}

  private record Point(Item item, double value) {}

  /** Those of numbers, in the order of their first appearance; none where nothing has a score. */
  public static Drawn of(GroupFacts facts) {
    Map<String, List<Point>> points = new LinkedHashMap<>();
    for (Item item : facts.requests()) {
      if (item.state() == RequestState.SUCCEEDED && item.score() != null && item.params() != null) {
        read(item.params())
            .properties()
            .forEach(
                one -> {
                  if (one.getValue().isNumber()) {
                    points
                        .computeIfAbsent(one.getKey(), key -> new ArrayList<>())
                        .add(new Point(item, one.getValue().doubleValue()));
                  }
                });
      }
    }
    points.values().removeIf(some -> some.stream().map(Point::value).distinct().count() < 2);
    return new Drawn(
        points.entrySet().stream()
            .limit(MOST)
            .map(one -> new Plot(one.getKey(), draw(facts, one.getKey(), one.getValue())))
            .toList(),
        points.size());
  }

  private static JsonNode read(String params) {
    try {
      return Json.read(params);
    } catch (MalformedJson e) {
      throw new IllegalStateException("stored parameters cannot be read: " + params, e);
    }
  }

  private static String draw(GroupFacts facts, String name, List<Point> points) {
    double least = points.stream().mapToDouble(Point::value).min().orElseThrow();
    double most = points.stream().mapToDouble(Point::value).max().orElseThrow();
    boolean log = least > 0 && most / least >= WIDE;
    DoubleUnaryOperator place = log ? Math::log10 : value -> value;
    Axis x = Axis.around(place.applyAsDouble(least), place.applyAsDouble(most), LEFT, WIDTH - 8);
    Axis y =
        Axis.around(
            points.stream().mapToDouble(one -> one.item().score()).min().orElseThrow(),
            points.stream().mapToDouble(one -> one.item().score()).max().orElseThrow(),
            HEIGHT - BOTTOM,
            TOP);
    Svg svg = new Svg(WIDTH, HEIGHT, "Scores against " + name);
    for (double mark : y.marks()) {
      svg.line(LEFT, y.at(mark), WIDTH - 8, y.at(mark), "grid");
      svg.text(LEFT - 6, y.at(mark) + 4, "end", Axis.number(mark));
    }
    for (double mark : x.marks()) {
      if (!log || mark == Math.rint(mark)) {
        String text = Axis.number(log ? Math.pow(10, mark) : mark);
        svg.text(x.at(mark), HEIGHT - BOTTOM + 16, "middle", text);
      }
    }
    svg.text((LEFT + WIDTH) / 2.0, HEIGHT - 4, "middle", log ? name + " (log)" : name);
    for (Point point : points) {
      boolean best = point.item().id().equals(facts.best());
      svg.dot(
          x.at(place.applyAsDouble(point.value())),
          y.at(point.item().score()),
          best ? 6 : 3.5,
          best ? "dot best" : "dot",
          point.item().id() + ": " + point.item().score() + "\n" + name + " " + point.value());
    }
    return svg.toString();
  }
}
