package io.stoker.dispatcher.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Maps values of a range to a line of pixels, and finds its round marks.
 *
 * @param from pixel of {@code least}
 * @param to pixel of {@code most}
 */
public record Axis(double least, double most, double from, double to) {
  private static final int MARKS = 5;

  /** An axis with some room at both ends; a range of one value gets room, too. */
  static Axis around(double least, double most, double from, double to) {
    double room = most > least ? (most - least) * 0.06 : Math.max(Math.abs(most) * 0.1, 0.5);
    return new Axis(least - room, most + room, from, to);
  }

  double at(double value) {
    return from + (value - least) / (most - least) * (to - from);
  }

  /** Round values within the range. */
  List<Double> marks() {
    double step = roundStep((most - least) / MARKS);
    List<Double> marks = new ArrayList<>();
    for (double mark = Math.ceil(least / step) * step; mark <= most; mark += step) {
      marks.add(mark == 0 ? 0 : mark);
    }
    return marks;
  }

  private static double roundStep(double step) {
    double power = Math.pow(10, Math.floor(Math.log10(step)));
    double part = step / power;
    return power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
  }

  /** A value in few digits. */
  public static String number(double value) {
    String text =
        Math.abs(value) >= 1e6 || value != 0 && Math.abs(value) < 1e-3
            ? String.format(Locale.ROOT, "%.3g", value)
            : String.format(Locale.ROOT, "%.4f", value);
    return text.contains(".") && !text.contains("e")
        ? text.replaceFirst("0+$", "").replaceFirst("[.]$", "")
        : text;
  }
}
