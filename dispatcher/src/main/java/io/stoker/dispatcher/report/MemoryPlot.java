package io.stoker.dispatcher.report;

import io.stoker.dispatcher.report.GroupFacts.Item;
import java.util.List;
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

  private MemoryPlot() {}

  /** Nothing where nothing was measured. */
  static Optional<String> of(GroupFacts facts) {
    List<Item> measured =
        facts.requests().stream()
            .filter(item -> item.peakMemory() != null || item.peakGpuMemory() != null)
            .toList();
    return measured.isEmpty() ? Optional.empty() : Optional.of(draw(measured));
  }

  private static String draw(List<Item> measured) {
    double most =
        measured.stream()
            .flatMap(item -> Stream.of(mib(item.peakMemory()), mib(item.peakGpuMemory())))
            .mapToDouble(Double::doubleValue)
            .max()
            .orElse(1);
    Svg svg = new Svg(WIDTH, HEIGHT, "Peaks of memory in MiB");
    Axis y = new Axis(0, Math.max(1, most * 1.05), HEIGHT - BOTTOM, TOP);
    Axis x = new Axis(0, measured.size(), LEFT, WIDTH - 10);
    for (double mark : y.marks()) {
      svg.line(LEFT, y.at(mark), WIDTH - 10, y.at(mark), "grid");
      svg.text(LEFT - 8, y.at(mark) + 4, "end", Axis.number(mark) + " MiB");
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

  private static void bar(
      Svg svg, Axis y, double x, double width, Item item, Function<Item, Long> peak, String what) {
    Long bytes = peak.apply(item);
    if (bytes != null) {
      double top = y.at(mib(bytes));
      svg.rectangle(
          x,
          top,
          Math.max(0.5, width - 0.5),
          y.at(0) - top,
          what,
          "%s: %s MiB of %s memory".formatted(item.id(), Axis.number(mib(bytes)), what));
    }
  }

  private static double mib(Long bytes) {
    return bytes == null ? 0 : bytes / MIB;
  }
}
