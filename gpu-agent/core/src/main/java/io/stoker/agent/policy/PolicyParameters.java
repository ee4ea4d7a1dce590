package io.stoker.agent.policy;

import io.stoker.common.size.Durations;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A policy's parameters as they were written. Names may be written with {@code -}, {@code _} or, as
 * environment variables are read, dots; what is not asked for by the policy is refused in the end.
 */
public final class PolicyParameters {
  private final String policy;
  private final Map<String, String> values = new TreeMap<>();
  private final Set<String> known = new HashSet<>();

  public PolicyParameters(String policy, Map<String, String> written) {
    this.policy = policy;
    written.forEach(
        (name, value) -> {
          if (value == null) {
            throw refused(name, "null", "a text");
          }
          values.put(name.replaceAll("[_.]", "-"), value.strip());
        });
  }

  /** A duration such as {@code 5s} or {@code 250ms}, 0 or more; a bare number is seconds. */
  public Duration duration(String name, Duration otherwise) {
    String value = take(name);
    if (value == null) {
      return otherwise;
    }
    if (value.matches("\\d{1,9}(\\.\\d{1,3})?")) {
      return Duration.ofMillis(Math.round(Double.parseDouble(value) * 1_000));
    }
    try {
      return Durations.parse(value);
    } catch (IllegalArgumentException e) {
      throw refused(name, value, "a duration such as 5s");
    }
  }

  /** A whole number, 0 or more. */
  public long count(String name, long otherwise) {
    OptionalLong given = number(name);
    if (given.orElse(0) < 0) {
      throw refused(name, Long.toString(given.getAsLong()), "0 or more");
    }
    return given.orElse(otherwise);
  }

  /** A whole number, 1 or more, if it was given. */
  public OptionalLong positive(String name) {
    OptionalLong given = number(name);
    if (given.orElse(1) < 1) {
      throw refused(name, Long.toString(given.getAsLong()), "1 or more");
    }
    return given;
  }

  /** A whole number, if it was given. */
  public OptionalLong number(String name) {
    String value = take(name);
    if (value == null) {
      return OptionalLong.empty();
    }
    try {
      return OptionalLong.of(Long.parseLong(value));
    } catch (NumberFormatException e) {
      throw refused(name, value, "a whole number");
    }
  }

  public boolean flag(String name, boolean otherwise) {
    return choice(name, Boolean.toString(otherwise), List.of("true", "false")).equals("true");
  }

  /** One of a few words. */
  public String choice(String name, String otherwise, List<String> words) {
    String value = take(name);
    if (value == null) {
      return otherwise;
    }
    if (!words.contains(value)) {
      throw refused(name, value, String.join(" or ", words));
    }
    return value;
  }

  /** Refuses what nobody has asked for. */
  void requireAllKnown() {
    for (String name : values.keySet()) {
      if (!known.contains(name)) {
        throw new PolicyException(
            "policy %s has no parameter %s; it has %s"
                .formatted(
                    policy,
                    name,
                    known.isEmpty() ? "none" : String.join(", ", new TreeSet<>(known))));
      }
    }
  }

  private String take(String name) {
    known.add(name);
    return values.get(name);
  }

  private PolicyException refused(String name, String value, String expected) {
    return new PolicyException(
        "parameter %s of policy %s is '%s'; expected %s".formatted(name, policy, value, expected));
  }
}
