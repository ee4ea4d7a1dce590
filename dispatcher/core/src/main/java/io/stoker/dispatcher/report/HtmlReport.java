package io.stoker.dispatcher.report;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.json.CanonicalJson;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.dispatcher.report.GroupFacts.Item;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;
import java.util.StringJoiner;

/** A group as a page that needs nothing but itself. */
public final class HtmlReport {
  private static final int MOST_ROWS = 2000;
  private static final String STYLE = style();
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss 'UTC'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private HtmlReport() {}

  /** The page. */
  public static String of(GroupFacts facts) {
    StringBuilder page = new StringBuilder();
    page.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    page.append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    page.append(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src"
            + " 'unsafe-inline'\">\n");
    page.append("<title>").append(Html.escape(facts.name())).append("</title>\n");
    page.append("<style>\n").append(STYLE).append("</style>\n</head>\n<body>\n<main>\n");
    head(page, facts);
    cards(page, facts);
    plot(page, "Scores", ScorePlot.of(facts), key("best", "best so far"));
    plot(page, "Timeline", TimelinePlot.of(facts), STATES);
    plot(page, "Memory", MemoryPlot.of(facts), MEMORY);
    table(page, facts);
    page.append("<footer>Made by Stoker, ").append(time(facts.now())).append("</footer>\n");
    return page.append("</main>\n</body>\n</html>\n").toString();
  }

  private static final String STATES =
      key("succeeded", "succeeded") + key("failed", "failed") + key("cancelled", "cancelled");
  private static final String MEMORY =
      key("host", "peak of host memory") + key("gpu", "peak of GPU memory");

  private static String key(String style, String label) {
    return "<span class=\"label\"><i class=\"key %s\"></i> %s</span> ".formatted(style, label);
  }

  private static void head(StringBuilder page, GroupFacts facts) {
    page.append("<header>\n<h1>").append(Html.escape(facts.name()));
    page.append(" <span class=\"pill ").append(facts.state().toLowerCase(Locale.ROOT));
    page.append("\">").append(Html.escape(facts.state())).append("</span></h1>\n<p>");
    page.append(Html.escape(facts.summary())).append("</p>\n");
    if (facts.reason() != null) {
      page.append("<p class=\"reason\">").append(Html.escape(facts.reason())).append("</p>\n");
    }
    page.append("</header>\n");
  }

  private static void cards(StringBuilder page, GroupFacts facts) {
    page.append("<section class=\"cards\">\n");
    if (facts.best() != null) {
      String what = "min".equals(facts.objective()) ? "lowest score" : "highest score";
      card(page, "accent", Axis.number(facts.bestScore()), what + " by " + facts.best());
    }
    card(page, "", Long.toString(facts.total()), "total");
    card(page, "good", Long.toString(facts.succeeded()), "successful");
    card(page, facts.failed() > 0 ? "bad" : "", Long.toString(facts.failed()), "failed");
    card(page, "", Long.toString(facts.cancelled()), "cancelled");
    card(page, "", Times.clock(facts.took()), "from " + time(facts.startedAt()));
    page.append("</section>\n");
  }

  private static void card(StringBuilder page, String style, String value, String label) {
    page.append("<div class=\"card ").append(style).append("\"><b>").append(Html.escape(value));
    page.append("</b><span>").append(Html.escape(label)).append("</span></div>\n");
  }

  private static void plot(
      StringBuilder page, String title, Optional<String> drawn, String legend) {
    drawn.ifPresent(
        svg ->
            page.append("<section>\n<h2>")
                .append(title)
                .append(" <small>")
                .append(legend)
                .append("</small></h2>\n<div class=\"wide\">")
                .append(svg)
                .append("</div></section>\n"));
  }

  private static void table(StringBuilder page, GroupFacts facts) {
    page.append("<section>\n<h2>Requests</h2>\n<div class=\"wide\"><table>\n<thead><tr>");
    headings(page, "Request", "State", "Score", "Waited", "Ran");
    if (facts.staged()) {
      headings(page, "Loaded", "Trained");
    }
    headings(page, "Host", "Devices", "Parameters", "Reason");
    page.append("</tr></thead>\n<tbody>\n");
    facts.requests().stream().limit(MOST_ROWS).forEach(item -> row(page, facts, item));
    page.append("</tbody>\n</table></div>\n");
    long more = facts.left() + Math.max(0, facts.requests().size() - MOST_ROWS);
    if (more > 0) {
      page.append("<p>and ").append(more).append(" more, which the CSV report lists</p>\n");
    }
    page.append("</section>\n");
  }

  private static void headings(StringBuilder page, String... headings) {
    for (String heading : headings) {
      page.append("<th>").append(heading).append("</th>");
    }
  }

  private static void row(StringBuilder page, GroupFacts facts, Item item) {
    page.append(item.id().equals(facts.best()) ? "<tr class=\"best\">" : "<tr>");
    cell(page, "id", item.id());
    String state = item.state().name();
    page.append("<td><span class=\"pill ").append(state.toLowerCase(Locale.ROOT)).append("\">");
    page.append(state).append("</span></td>");
    cell(page, "number", item.score() == null ? "" : Axis.number(item.score()));
    clock(page, item.waited());
    clock(page, item.ranFor());
    if (facts.staged()) {
      clock(page, item.loaded());
      clock(page, item.trained());
    }
    cell(page, "host", item.host());
    cell(page, "devices", item.devices() == null ? "" : String.join(" ", item.devices()));
    cell(page, "params", params(item.params()));
    String code = item.code() == null ? "" : item.code().name();
    String reason = item.reason() == null ? "" : item.reason();
    cell(page, "reason", code.isEmpty() || reason.isEmpty() ? code + reason : code + ": " + reason);
    page.append("</tr>\n");
  }

  /** An object property by property, so that a line can end between two of them. */
  private static String params(String json) {
    if (json == null) {
      return null;
    }
    try {
      JsonNode params = Json.read(json);
      StringJoiner all = new StringJoiner(", ");
      params.properties().forEach(one -> all.add(one.getKey() + "=" + value(one.getValue())));
      return params.isObject() ? all.toString() : json;
    } catch (MalformedJson e) {
      return json;
    }
  }

  private static String value(JsonNode value) {
    return value.isTextual() ? value.textValue() : CanonicalJson.text(value);
  }

  private static void clock(StringBuilder page, Long ms) {
    cell(page, "number", ms == null ? "" : Times.clock(ms));
  }

  private static void cell(StringBuilder page, String style, String text) {
    page.append("<td class=\"").append(style).append("\">").append(Html.escape(text));
    page.append("</td>");
  }

  private static String time(long ms) {
    return TIME.format(Instant.ofEpochMilli(ms));
  }

  private static String style() {
    try (InputStream in = HtmlReport.class.getResourceAsStream("report.css")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
