package io.stoker.dispatcher.service.page;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Which requests a list shows, as its address says.
 *
 * @param parameters by name, without those that are blank
 */
public record JobsQuery(Map<String, List<String>> parameters) {
  private static final String AFTER = "after";

  /** With it the list is one of what may be changed at once. */
  private static final String MANY = "many";

  /** What they may be counted by. */
  private static final String BY = "by";

  private static final List<String> COLUMNS =
      List.of("state", "queue", "group", "kind", "host", "user");

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

  static JobsQuery of(Map<String, List<String>> sent) {
    return new JobsQuery(
        sent.entrySet().stream()
            .map(
                one ->
                    Map.entry(
                        one.getKey(), one.getValue().stream().filter(JobsQuery::said).toList()))
            .filter(one -> !one.getValue().isEmpty())
            .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
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

  /** The first value of a parameter. */
  Optional<String> first(String name) {
    return all(name).stream().findFirst();
  }

  /** All values of a parameter. */
  public List<String> all(String name) {
    return parameters.getOrDefault(name, List.of());
  }

  /** Whether anything but the place in the list is asked for. */
  public boolean filters() {
    return parameters.keySet().stream().anyMatch(name -> !name.equals(AFTER) && !name.equals(MANY));
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
    Map<String, List<String>> narrower = new HashMap<>(parameters);
    narrower.remove(BY);
    narrower.put(value(BY), List.of(value));
    return new JobsQuery(narrower).start();
  }

  /** The address of its beginning. */
  public String start() {
    return at(null);
  }
}
