package io.stoker.dispatcher.service.page;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.service.rest.DetailsView;
import io.stoker.dispatcher.service.rest.Explanation;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * A request as its page shows it.
 *
 * @param command in one line, words that need it in quotes; null of a refused one
 * @param settings what else it asks for, by name
 * @param env variables by name, secrets hidden
 * @param params by name, of a request of a kind
 * @param bars its attempts in time
 * @param uses what it takes now, beside what it was promised
 * @param graph of its dependencies; null if it has none
 */
public record JobView(
    DetailsView details,
    Explanation why,
    String command,
    Map<String, String> settings,
    Map<String, String> env,
    Map<String, String> params,
    Map<String, String> labels,
    @JsonIgnore List<Bar> bars,
    List<MemoryUse> uses,
    @JsonIgnore DependencyGraph graph) {
  private static final List<String> APART =
      List.of("id", "command", "args", "env", "params", "labels", "dependsOn", "specVersion");

  /**
   * An attempt in time.
   *
   * @param x where it begins, in percent of the time that is shown
   * @param width in percent
   * @param waitX where the waiting for it begins: at the post, or at the end of the attempt before
   * @param waitWidth of the waiting, in percent
   */
  public record Bar(
      DetailsView.Attempt attempt, String x, String width, String waitX, String waitWidth) {}

  static JobView of(DetailsView details, Explanation why, List<MemoryUse> uses) {
    JsonNode request = details.request();
    return new JobView(
        details,
        why,
        command(request),
        settings(request),
        texts(request, "env"),
        texts(request, "params"),
        texts(request, "labels"),
        bars(details, Instant.now().toEpochMilli()),
        uses,
        DependencyGraph.of(details).orElse(null));
  }

  private static String command(JsonNode request) {
    if (request == null) {
      return null;
    }
    Stream<JsonNode> words =
        Stream.concat(elements(request.path("command")), elements(request.path("args")));
    return words.map(JsonNode::asText).map(JobView::quoted).collect(Collectors.joining(" "));
  }

  private static Stream<JsonNode> elements(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false);
  }

  /** As a shell would read it. */
  private static String quoted(String word) {
    return word.matches("[A-Za-z0-9_@%+=:,./-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
  }

  private static Map<String, String> settings(JsonNode request) {
    Map<String, String> settings = new LinkedHashMap<>();
    if (request != null) {
      request
          .properties()
          .forEach(
              one -> {
                if (one.getKey().equals("resources")) {
                  settings.putAll(texts(request, "resources"));
                } else if (!APART.contains(one.getKey())) {
                  settings.put(one.getKey(), text(one.getValue()));
                }
              });
    }
    return settings;
  }

  private static Map<String, String> texts(JsonNode request, String field) {
    Map<String, String> texts = new LinkedHashMap<>();
    if (request != null) {
      request
          .path(field)
          .properties()
          .forEach(one -> texts.put(one.getKey(), text(one.getValue())));
    }
    return texts;
  }

  private static String text(JsonNode value) {
    return value.isTextual() ? value.textValue() : value.toString();
  }

  private static List<Bar> bars(DetailsView details, long now) {
    if (details.postedAt() == null) {
      return List.of();
    }
    long from = ms(details.postedAt());
    long until =
        details.status().endedAt() == null
            ? now
            : Math.max(from + 1, ms(details.status().endedAt()));
    List<Bar> bars = new ArrayList<>();
    // Ends of the attempts before, by number: members of a gang have one number, and wait together.
    NavigableMap<Integer, Double> ends = new TreeMap<>();
    for (DetailsView.Attempt one : details.attempts()) {
      String began =
          Stream.of(
                  one.placedAt(), one.startedAt(), details.status().startedAt(), details.postedAt())
              .filter(Objects::nonNull)
              .findFirst()
              .orElseThrow();
      double x = part(ms(began), from, until);
      double end = one.endedAt() == null ? 100 : part(ms(one.endedAt()), from, until);
      // One that was short is seen, too.
      double width = Math.max(0.5, end - x);
      Map.Entry<Integer, Double> before = ends.lowerEntry(one.number());
      double waits = before == null ? 0 : Math.min(before.getValue(), x);
      ends.merge(one.number(), end, Math::max);
      bars.add(
          new Bar(
              one,
              Texts.share(Math.min(x, 99.5)),
              Texts.share(width),
              Texts.share(waits),
              Texts.share(x - waits)));
    }
    return bars;
  }

  private static double part(long at, long from, long until) {
    return Math.clamp(100.0 * (at - from) / Math.max(1, until - from), 0, 100);
  }

  private static long ms(String moment) {
    return Instant.parse(moment).toEpochMilli();
  }

  /** Whether it can still be cancelled or moved. */
  public boolean live() {
    return !details.status().state().terminal();
  }

  /** Whether it stands in a line, where what others do moves it. */
  public boolean inLine() {
    return details.status().queue() != null
        && switch (details.status().state()) {
          case WAITING, QUEUED -> true;
          default -> false;
        };
  }

  /** The members of a gang; null if it has one host. */
  public List<Integer> ranks() {
    String hosts = settings.get("hosts");
    return hosts == null || !hosts.matches("[2-9]|[1-9][0-9]{1,3}")
        ? null
        : IntStream.range(0, Integer.parseInt(hosts)).boxed().toList();
  }

  /** Whether a person does it, and is to say what came of it. */
  public boolean passive() {
    return details.status().state() == RequestState.RUNNING
        && "passive".equals(settings.get("type"));
  }

  /** Whether its result answers equal requests. */
  public boolean remembered() {
    return details.status().state() == RequestState.SUCCEEDED;
  }

  /** Whether it can be posted again. */
  public boolean retries() {
    return !live() && !remembered() && command != null;
  }
}
