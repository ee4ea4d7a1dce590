package io.stoker.dispatcher.report;

import io.stoker.dispatcher.report.GroupFacts.Item;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Draws what ran when, device by device; jobs on CPU slots of a host side by side. */
final class TimelinePlot {
  private static final int WIDTH = 900;
  private static final int LEFT = 190;
  private static final int RIGHT = 20;
  private static final int ROW = 22;
  private static final int MOST_ROWS = 200;
  private static final int BOTTOM = 36;
  private static final int LONGEST = 24;

  /** Of a longer label: what tells devices apart is often at the end. */
  private static final int TAIL = 6;

  private TimelinePlot() {}

  /** A line of the picture; its runs do not overlap. */
  private record Row(String label, List<Item> runs) {
    boolean takes(Item run) {
      return runs.isEmpty() || runs.getLast().endedAt() <= run.startedAt();
    }
  }

  /** Nothing where nothing ran. */
  static Optional<String> of(GroupFacts facts) {
    Map<String, List<Row>> devices = new TreeMap<>();
    facts.requests().stream()
        .filter(Item::ran)
        .sorted(Comparator.comparingLong(Item::startedAt))
        .forEach(
            run ->
                places(run)
                    .forEach(
                        place ->
                            row(devices.computeIfAbsent(place, p -> new ArrayList<>()), place, run)
                                .runs()
                                .add(run)));
    List<Row> rows = devices.values().stream().flatMap(List::stream).limit(MOST_ROWS).toList();
    return rows.isEmpty() ? Optional.empty() : Optional.of(draw(rows));
  }

  private static List<String> places(Item run) {
    return run.devices() == null || run.devices().isEmpty()
        ? List.of(run.host() + " CPU")
        : run.devices().stream().map(device -> run.host() + " " + device).toList();
  }

  private static Row row(List<Row> rows, String label, Item run) {
    return rows.stream()
        .filter(row -> row.takes(run))
        .findFirst()
        .orElseGet(
            () -> {
              Row added = new Row(rows.isEmpty() ? label : "", new ArrayList<>());
              rows.add(added);
              return added;
            });
  }

  private static String draw(List<Row> rows) {
    long first = rows.stream().mapToLong(row -> row.runs().getFirst().startedAt()).min().orElse(0);
    long last = rows.stream().mapToLong(row -> row.runs().getLast().endedAt()).max().orElse(0);
    int height = rows.size() * ROW + BOTTOM;
    Svg svg = new Svg(WIDTH, height, "What ran when, by device");
    Axis seconds = new Axis(0, Math.max(0.001, (last - first) / 1000.0), LEFT, WIDTH - RIGHT);
    for (double mark : seconds.marks()) {
      svg.line(seconds.at(mark), 0, seconds.at(mark), height - BOTTOM, "grid");
      svg.text(seconds.at(mark), height - BOTTOM + 18, "middle", Axis.number(mark) + " s");
    }
    for (int i = 0; i < rows.size(); i++) {
      Row row = rows.get(i);
      svg.text(LEFT - 8, i * ROW + 15, "end", shortened(row.label()));
      for (Item run : row.runs()) {
        double from = seconds.at((run.startedAt() - first) / 1000.0);
        double to = seconds.at((run.endedAt() - first) / 1000.0);
        svg.rectangle(
            from,
            i * ROW + 3,
            Math.max(1.5, to - from - 0.5),
            ROW - 6,
            run.state().name().toLowerCase(Locale.ROOT),
            "%s: %s, %s"
                .formatted(run.id(), run.state(), Times.clock(run.endedAt() - run.startedAt())));
      }
    }
    return svg.toString();
  }

  private static String shortened(String label) {
    return label.length() > LONGEST
        ? label.substring(0, LONGEST - TAIL - 1) + "…" + label.substring(label.length() - TAIL)
        : label;
  }
}
