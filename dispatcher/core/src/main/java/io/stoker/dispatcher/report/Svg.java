package io.stoker.dispatcher.report;

import java.util.Locale;

/** Draws a picture. */
final class Svg {
  private final StringBuilder body = new StringBuilder();
  private final int width;
  private final int height;
  private final String title;

  /**
   * @param title what it shows, for those who do not see it
   */
  Svg(int width, int height, String title) {
    this.width = width;
    this.height = height;
    this.title = title;
  }

  Svg line(double x1, double y1, double x2, double y2, String style) {
    return add(
        "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"%s\"/>",
        x1, y1, x2, y2, style);
  }

  /** A rectangle; the title shows where one points at it. */
  Svg rectangle(double x, double y, double w, double h, String style, String tip) {
    return add(
        "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"2\" class=\"%s\"><title>%s</title></rect>",
        x, y, w, h, style, Html.escape(tip));
  }

  Svg dot(double x, double y, double radius, String style, String tip) {
    return add(
        "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" class=\"%s\"><title>%s</title></circle>",
        x, y, radius, style, Html.escape(tip));
  }

  /**
   * A text.
   *
   * @param anchor start, middle or end: which of it stands at the place
   */
  Svg text(double x, double y, String anchor, String text) {
    return add(
        "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>",
        x, y, anchor, Html.escape(text));
  }

  /**
   * A line through points.
   *
   * @param path such as {@code M 0 0 L 1 1}
   */
  Svg path(String path, String style) {
    return add("<path d=\"%s\" class=\"%s\"/>", path, style);
  }

  private Svg add(String format, Object... values) {
    body.append(String.format(Locale.ROOT, format, values)).append('\n');
    return this;
  }

  @Override
  public String toString() {
    return "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">\n%s</svg>\n"
        .formatted(width, height, Html.escape(title), body);
  }
}
