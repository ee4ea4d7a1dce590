package io.stoker.dispatcher.service.page;

import io.stoker.dispatcher.service.rest.ListResource;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The query of a list of requests, as its address says.
 *
 * @param parameters by name, without those that are blank
 */
public record JobsQuery(Map<String, List<String>> parameters) {
  private static final String AFTER = "after";

  /** With it the list is one of what may be changed at once. */
  private static final String MANY = "many";

  /** What they may be counted by. */
  private static final String BY = "by";

  private static final String SORT = "sort";
  private static final String LIMIT = "limit";

  /** What says how they are shown, and not which. */
  private static final Set<String> SHOWN = Set.of(AFTER, MANY, SORT, LIMIT);

  /** Forms have them without a zone. */
  private static final Set<String> TIMES = Set.of("since", "until", "endedSince");

  private static final String NEWEST_FIRST = "-posted";

  private static final List<String> SORTS =
      List.of("posted", "started", "ended", "duration", "attempts", "priority");

  private static final List<String> COLUMNS =
      List.of("state", "queue", "group", "kind", "host", "user", "code");

  private static final List<Choice> STATES =
      List.of(
          new Choice("not over", "WAITING,QUEUED,PLACED,RUNNING"),
          new Choice("waiting", "WAITING"),
          new Choice("queued", "QUEUED"),
          new Choice("running", "PLACED,RUNNING"),
          new Choice("succeeded", "SUCCEEDED"),
          new Choice("failed", "FAILED"),
          new Choice("cancelled", "CANCELLED"));

  /** A value that people choose by a name. */
  public record Choice(String name, String value) {}

  /**
   * A column that they can be sorted by.
   *
   * @param address of the list that is; of one that is already, the other way round
   * @param way {@code ascending} or {@code descending}; null if they are not sorted by it
   */
  public record Sorting(String name, String address, String way) {}

  static JobsQuery of(Map<String, List<String>> sent) {
    return new JobsQuery(
        sent.entrySet().stream()
            .map(
                one ->
                    Map.entry(
                        one.getKey(),
                        one.getValue().stream()
                            .filter(JobsQuery::said)
                            .map(value -> TIMES.contains(one.getKey()) ? utc(value) : value)
                            .toList()))
            .filter(one -> !one.getValue().isEmpty())
            .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
  }

  /** A time that a field of a form says, as queries have it; anything else as it is. */
  private static String utc(String text) {
    try {
      return LocalDateTime.parse(text).toInstant(ZoneOffset.UTC).toString();
    } catch (DateTimeParseException e) {
      return text;
    }
  }

  private static boolean said(String value) {
    return !value.isBlank();
  }

  /** States to choose among; one that the address names and that is none of them is among them. */
  public List<Choice> states() {
    String asked = value("state");
    boolean known =
        asked.isEmpty() || STATES.stream().anyMatch(choice -> choice.value().equals(asked));
    return known
        ? STATES
        : Stream.concat(Stream.of(new Choice(asked, asked)), STATES.stream()).toList();
  }

  /** The value of a parameter, for its field; empty if it is not there. */
  public String value(String name) {
    return first(name).orElse("");
  }

  /** The value of a time, for its field, in UTC; empty if it is not there. */
  public String time(String name) {
    return first(name)
        .map(text -> Instant.ofEpochMilli(ListResource.time(name, text)))
        .map(at -> LocalDateTime.ofInstant(at, ZoneOffset.UTC).toString())
        .orElse("");
  }

  /** All labels that are asked for, and an empty one for another. */
  public List<String> labels() {
    return Stream.concat(all("label").stream(), Stream.of("")).toList();
  }

  /** The first value of a parameter. */
  Optional<String> first(String name) {
    return all(name).stream().findFirst();
  }

  /** All values of a parameter. */
  public List<String> all(String name) {
    return parameters.getOrDefault(name, List.of());
  }

  /** Whether anything but how they are shown is asked for. */
  public boolean filters() {
    return parameters.keySet().stream().anyMatch(name -> !SHOWN.contains(name));
  }

  /** Columns that they can be sorted by. */
  public List<Sorting> sortings() {
    String now = first(SORT).orElse(NEWEST_FIRST);
    return SORTS.stream()
        .map(
            name -> {
              String descending = "-" + name;
              boolean down = now.equals(descending);
              String other = down ? name : descending;
              return new Sorting(
                  name,
                  with(SORT, other.equals(NEWEST_FIRST) ? null : other).start(),
                  down ? "descending" : now.equals(name) ? "ascending" : null);
            })
        .toList();
  }

  /** The address of the same list with more of those that fit. */
  public String longer() {
    return with(LIMIT, "1000").at(value(AFTER).isEmpty() ? null : value(AFTER));
  }

  /** Whether those are asked for of which lines are looked at, and not all requests. */
  public boolean ofLines() {
    return value("failing").equals("true")
        || value("code").equals("UNSATISFIABLE") && value("state").equals("QUEUED");
  }

  /** What finds those that may be changed at once. */
  Map<String, List<String>> listing(int most) {
    return with(BY, null).with(LIMIT, Integer.toString(most)).parameters();
  }

  private JobsQuery with(String name, String value) {
    Map<String, List<String>> other = new HashMap<>(parameters);
    if (value == null) {
      other.remove(name);
    } else {
      other.put(name, List.of(value));
    }
    return new JobsQuery(other);
  }

  /** The address of the list behind a place; of its beginning if that is null. */
  public String at(String after) {
    List<String> parts = new ArrayList<>();
    parameters.entrySet().stream()
        .filter(one -> !one.getKey().equals(AFTER) && !one.getKey().equals(MANY))
        .sorted(Map.Entry.comparingByKey())
        .forEach(
            one ->
                one.getValue().forEach(value -> parts.add(one.getKey() + "=" + Texts.path(value))));
    if (after != null) {
      parts.add(AFTER + "=" + Texts.path(after));
    }
    return parts.isEmpty() ? "/requests" : "/requests?" + String.join("&", parts);
  }

  /** The address where all of it may be changed at once. */
  public String many() {
    String start = start();
    return start + (start.contains("?") ? "&" : "?") + MANY + "=1";
  }

  /** Columns that they may be counted by. */
  public List<String> columns() {
    return COLUMNS;
  }

  /** The address of those that were counted together; null where no filter finds them. */
  public String of(String value) {
    if (value == null) {
      return null;
    }
    return with(BY, null).with(value(BY), value).start();
  }

  /** The address of its beginning. */
  public String start() {
    return at(null);
  }
}
