package io.stoker.dispatcher.fleet;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Tells what came of a run of the fleet, and draws it, where a folder is named for it:
 *
 * <pre>
 * ./mvnw -q -pl dispatcher/core -am test -Dtest=FairnessTest -Dsurefire.failIfNoSpecifiedTests=false \
 *     -Dtest.jvm.args=-Dstoker.fairness.plots=/tmp/fairness</pre>
 */
final class FairnessPlot {
  private static final String FOLDER = System.getProperty("stoker.fairness.plots");
  private static final int WIDTH = 900;
  private static final int ROW = 18;
  private static final int LEFT = 150;
  private static final int TOP = 40;
  private static final int CURVE = 220;
  private static final int GPUS = Trace.HOSTS * Trace.GPUS;
  private static final int MINUTES_A_POINT = 10;

  /** A bar's length for a share that is right. */
  private static final int RIGHT = 500;

  private final Trace trace;
  private final VirtualFleet fleet;
  private final VirtualFleet packed;
  private final double weights;

  private FairnessPlot(Trace trace, VirtualFleet fleet, VirtualFleet packed) {
    this.trace = trace;
    this.fleet = fleet;
    this.packed = packed;
    weights = trace.weights().values().stream().mapToInt(Integer::intValue).sum();
  }

  /** Tells and draws a run, if that is asked for. */
  static void show(long seed, Trace trace, VirtualFleet fleet, VirtualFleet packed, Passes passes) {
    if (FOLDER == null) {
      return;
    }
    FairnessPlot plot = new FairnessPlot(trace, fleet, packed);
    try {
      Path file =
          Files.createDirectories(Path.of(FOLDER)).resolve("fairness-%d.svg".formatted(seed));
      Files.writeString(file, plot.svg(seed));
      System.out.print(plot.text(seed, passes, file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** GPU time of a queue by what its weight entitles it to. */
  private double ratio(String queue, int weight) {
    return fleet.had(queue) / (fleet.hadByAll() * weight / weights);
  }

  private double used(VirtualFleet of) {
    return of.hadByAll() / ((double) GPUS * of.busy().size());
  }

  private String text(long seed, Passes passes, Path file) {
    StringBuilder text = new StringBuilder();
    text.append("seed %d: %d passes%n".formatted(seed, passes.passes()));
    text.append("%-10s %6s %8s %8s%n".formatted("QUEUE", "WEIGHT", "SHARE %", "OF DUE %"));
    trace
        .weights()
        .forEach(
            (queue, weight) ->
                text.append(
                    "%-10s %6d %8.2f %8.2f%n"
                        .formatted(
                            queue,
                            weight,
                            100.0 * fleet.had(queue) / fleet.hadByAll(),
                            100 * ratio(queue, weight))));
    text.append(
        "GPU time used: %.1f %%; first-fit decreasing, which knows all jobs: %.1f %%; %.1f %% of it%n"
            .formatted(
                100 * used(fleet),
                100 * used(packed),
                100.0 * fleet.hadByAll() / packed.hadByAll()));
    text.append(
        "%d claims, the longest from claim to start %d min; longest as first of its queue %d min%n"
            .formatted(passes.claimed(), passes.longestClaim(), passes.longestFirst()));
    return text.append("drawn in ").append(file.toAbsolutePath()).append('\n').toString();
  }

  private String svg(long seed) {
    StringBuilder body = new StringBuilder();
    int y = TOP;
    for (Map.Entry<String, Integer> queue : trace.weights().entrySet()) {
      bar(body, y, queue.getKey(), queue.getValue());
      y += ROW;
    }
    add(body, "<path d='M %d %d V %d' stroke='black'/>", LEFT + RIGHT, TOP - 6, y);
    int bottom = y + CURVE + TOP;
    level(body, bottom, 0);
    level(body, bottom, GPUS);
    curve(body, fleet.busy(), bottom, "steelblue");
    curve(body, packed.busy(), bottom, "darkorange");
    add(
        body,
        "<text x='%d' y='%d'>GPUs at work of %d, over the day: passes (blue), first-fit decreasing"
            + " (orange)</text>",
        LEFT,
        y + TOP / 2,
        GPUS);
    return "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' font-family='sans-serif'"
            .formatted(WIDTH, bottom + TOP)
        + " font-size='12'><rect width='100%' height='100%' fill='white'/>"
        + "<text x='%d' y='20'>seed %d: GPU time of each queue by its weight; the line is what is due"
            .formatted(LEFT, seed)
        + "</text>"
        + body
        + "</svg>\n";
  }

  private static void level(StringBuilder body, int bottom, int gpus) {
    int y = bottom - gpus * CURVE / GPUS;
    add(body, "<path d='M %d %d H %d' stroke='lightgrey'/>", LEFT, y, WIDTH - TOP);
    add(body, "<text x='%d' y='%d' text-anchor='end'>%d</text>", LEFT - 6, y + 4, gpus);
  }

  private void bar(StringBuilder body, int y, String queue, int weight) {
    double ratio = ratio(queue, weight);
    add(body, "<text x='5' y='%d'>%s, weight %d</text>", y + ROW - 6, queue, weight);
    add(
        body,
        "<rect x='%d' y='%d' width='%.1f' height='%d' fill='steelblue'/>",
        LEFT,
        y,
        ratio * RIGHT,
        ROW - 4);
    add(
        body,
        "<text x='%.1f' y='%d'>%.1f %%</text>",
        LEFT + ratio * RIGHT + 8,
        y + ROW - 6,
        100 * ratio);
  }

  private static void curve(StringBuilder body, List<Integer> busy, int bottom, String colour) {
    int points = busy.size() / MINUTES_A_POINT;
    StringBuilder path = new StringBuilder();
    for (int point = 0; point < points; point++) {
      int from = point * MINUTES_A_POINT;
      double mean =
          IntStream.range(from, from + MINUTES_A_POINT).map(busy::get).average().orElseThrow();
      double x = LEFT + (double) point / points * (WIDTH - LEFT - TOP);
      double y = bottom - mean / GPUS * CURVE;
      path.append(String.format(Locale.ROOT, "%s %.1f %.1f ", point == 0 ? "M" : "L", x, y));
    }
    add(body, "<path d='%s' fill='none' stroke='%s'/>", path, colour);
  }

  private static void add(StringBuilder body, String format, Object... values) {
    body.append(String.format(Locale.ROOT, format, values)).append('\n');
  }
}
