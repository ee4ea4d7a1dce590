package io.stoker.dispatcher.service.page;

import io.quarkus.qute.TemplateExtension;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.size.ByteSize;
import io.stoker.common.size.Durations;
import io.stoker.dispatcher.memory.ExpectedEnd;
import io.stoker.dispatcher.model.HostEvent;
import io.stoker.dispatcher.report.Axis;
import io.stoker.dispatcher.service.rest.HostView;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.stream.Collectors;

/** Formats values for people. */
@TemplateExtension
final class Texts {
  private static final int ALL = 100;

  /** Requests that lists look at. */
  private static final int MOST_COUNTED = 10_000;

  /** As much of a UUID as people read: {@code GPU-3c620174}. */
  private static final int BRIEF = 12;

  private Texts() {}

  /** Bytes, as {@code 1.5 GiB}. */
  static String size(Long bytes) {
    return ByteSize.text(bytes);
  }

  /** How long ago a moment is, ISO 8601. */
  static String ago(String moment) {
    return Durations.text(Duration.between(Instant.parse(moment), Instant.now()).abs());
  }

  /** How much longer a job runs, as it follows how long it has. */
  static String left(ExpectedEnd end) {
    return end.at() == null
        ? ", longer than others like it"
        : ", about %s left"
            .formatted(Durations.text(Duration.between(Instant.now(), Instant.parse(end.at()))));
  }

  /** A share of 0 to 1 in percent. */
  static String percent(Double share) {
    return Math.round(share * ALL) + " %";
  }

  /** Percents, as SVG takes a length. */
  static String share(double percents) {
    return String.format(Locale.ROOT, "%.2f%%", percents);
  }

  /** Parameters in one line: {@code depth=4 lr=0.01}. */
  static String pairs(String params) {
    try {
      return Json.read(params).properties().stream()
          .map(
              one ->
                  one.getKey()
                      + "="
                      + (one.getValue().isTextual()
                          ? one.getValue().textValue()
                          : one.getValue().toString()))
          .collect(Collectors.joining(" "));
    } catch (MalformedJson e) {
      return params;
    }
  }

  static String thousands(Number number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  /** A count, as far as it was counted. */
  static String many(Long count) {
    return count >= MOST_COUNTED ? "10,000+" : String.format(Locale.ROOT, "%,d", count);
  }

  /** Ms, of which fractions say nothing to people. */
  static String ms(Double ms) {
    return String.format(Locale.ROOT, "%,d ms", Math.round(ms));
  }

  /** A number in few digits. */
  static String brief(Double number) {
    return Axis.number(number);
  }

  /** A part of a path or of a query. */
  static String path(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  /** A moment without its fraction of a second, as people read it. */
  static String when(String moment) {
    return moment.replaceFirst("T", " ").replaceFirst("([.][0-9]+)?Z$", " UTC");
  }

  /** A device's id as far as it tells it from its neighbours. */
  static String brief(String id) {
    return id.length() > BRIEF ? id.substring(0, BRIEF) + "…" : id;
  }

  /** A constant in small letters, as style sheets name it. */
  static String small(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  /** What became of a host, as people say it. */
  static String words(HostEvent.What what) {
    return small(what).replace('_', ' ').replace("gpu", "GPU");
  }

  /** When its newest step was: its end, else its start, else its arrival. */
  static String since(RequestStatus status) {
    return status.endedAt() != null
        ? status.endedAt()
        : status.startedAt() != null ? status.startedAt() : status.postedAt();
  }

  /** How a host stands in one word, as style sheets name it. */
  static String standing(HostView shown) {
    HostView.Condition host = shown.condition();
    if (!host.state().equals("UP")) {
      return host.state().toLowerCase(Locale.ROOT);
    }
    if (host.drain() != null) {
      return host.drain().empty() ? "drained" : "draining";
    }
    return host.cordoned()
        ? "cordoned"
        : host.suspect() ? "suspect" : host.usable() ? "up" : "away";
  }
}
