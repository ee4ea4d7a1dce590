package io.stoker.dispatcher.report;

import io.stoker.common.size.ByteSize;
import io.stoker.dispatcher.report.GroupFacts.Item;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** Peaks of memory, request by request. */
final class MemoryPlot {
  private static final int WIDTH = 900;
  private static final int HEIGHT = 220;
  private static final int LEFT = 70;
  private static final int BOTTOM = 24;
  private static final int TOP = 12;
  private static final double MIB = 1 << 20;
  private static final double GIB = 1 << 30;

  /** From so many GiB on they are the unit. */
  private static final int MANY = 4;

  private final List<Item> measured;
  private final double unit;
  private final String unitName;

  private MemoryPlot(List<Item> measured) {
    this.measured = measured;
    boolean large = most(measured) >= MANY * GIB;
    unit = large ? GIB : MIB;
    unitName = large ? "GiB" : "MiB";
  }

  /** Nothing where nothing was measured. */
  static Optional<String> of(GroupFacts facts) {
    List<Item> measured =
        facts.requests().stream()
            .filter(item -> item.peakMemory() != null || item.peakGpuMemory() != null)
            .toList();
    return measured.isEmpty() ? Optional.empty() : Optional.of(new MemoryPlot(measured).draw());
  }

  private static long most(List<Item> measured) {
    return measured.stream()
        .flatMap(item -> Stream.of(item.peakMemory(), item.peakGpuMemory()))
        .filter(Objects::nonNull)
        .mapToLong(Long::longValue)
        .max()
        .orElse(0);
  }

  private String draw() {
    Svg svg = new Svg(WIDTH, HEIGHT, "Peaks of memory in " + unitName);
    double most = most(measured) / unit;
    Axis y = new Axis(0, Math.max(1, most * 1.05), HEIGHT - BOTTOM, TOP);
    Axis x = new Axis(0, measured.size(), LEFT, WIDTH - 10);
    for (double mark : y.marks()) {
      svg.line(LEFT, y.at(mark), WIDTH - 10, y.at(mark), "grid");
      svg.text(LEFT - 8, y.at(mark) + 4, "end", Axis.number(mark) + " " + unitName);
    }
    double half = Math.min(12, (x.at(1) - x.at(0)) * 0.4);
    for (int i = 0; i < measured.size(); i++) {
      Item item = measured.get(i);
      double middle = x.at(i + 0.5);
      bar(svg, y, middle - half, half, item, Item::peakMemory, "host");
      bar(svg, y, middle, half, item, Item::peakGpuMemory, "gpu");
    }
    svg.text((LEFT + WIDTH) / 2.0, HEIGHT - 4, "middle", "requests in the order of their arrival");
    return svg.toString();
  }

  private void bar(
      Svg svg, Axis y, double x, double width, Item item, Function<Item, Long> peak, String what) {
    Long bytes = peak.apply(item);
    if (bytes != null) {
      double top = y.at(bytes / unit);
      svg.rectangle(
          x,
          top,
          Math.max(0.5, width - 0.5),
          y.at(0) - top,
          what,
          "%s: %s of %s memory".formatted(item.id(), ByteSize.text(bytes), what));
    }
  }
}
