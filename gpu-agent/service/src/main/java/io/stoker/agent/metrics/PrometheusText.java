package io.stoker.agent.metrics;

import java.math.BigDecimal;

/** Writes the text format of Prometheus, version 0.0.4. */
final class PrometheusText {
  private final StringBuilder text = new StringBuilder();

  /** Begins a metric, whose samples follow. */
  PrometheusText metric(String name, String type, String help) {
    text.append("# HELP ").append(name).append(' ').append(help).append('\n');
    text.append("# TYPE ").append(name).append(' ').append(type).append('\n');
    return this;
  }

  /**
   * Adds a sample.
   *
   * @param labels names and values in turn
   */
  PrometheusText sample(String name, double value, String... labels) {
    text.append(name);
    for (int i = 0; i < labels.length; i += 2) {
      text.append(i == 0 ? '{' : ',').append(labels[i]).append("=\"");
      escape(labels[i + 1]);
      text.append('"');
    }
    text.append(labels.length == 0 ? "" : "}").append(' ').append(number(value)).append('\n');
    return this;
  }

  private void escape(String value) {
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      switch (c) {
        case '\\' -> text.append("\\\\");
        case '"' -> text.append("\\\"");
        case '\n' -> text.append("\\n");
        default -> text.append(c);
      }
    }
  }

  private static String number(double value) {
    return new BigDecimal(Double.toString(value)).stripTrailingZeros().toPlainString();
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
