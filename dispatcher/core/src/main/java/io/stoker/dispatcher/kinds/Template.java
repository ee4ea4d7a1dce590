package io.stoker.dispatcher.kinds;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A text with places for parameters: {@code ${params.NAME}}. {@code $${} stands for {@code ${}
 * itself. A text fills its place as it is, every other value as JSON.
 */
record Template(String text) {
  private static final Pattern PLACE = Pattern.compile("(\\$?)\\$\\{([^}]*)(}?)");
  private static final String PARAMS = "params.";

  /** The first place that names no parameter, if there is one. */
  Optional<String> wrongPlace() {
    Matcher place = PLACE.matcher(text);
    while (place.find()) {
      boolean literal = !place.group(1).isEmpty();
      String name = place.group(2);
      boolean right =
          !place.group(3).isEmpty() && name.startsWith(PARAMS) && name.length() > PARAMS.length();
      if (!literal && !right) {
        return Optional.of(place.group());
      }
    }
    return Optional.empty();
  }

  /** The parameters that it names. */
  Set<String> names() {
    Set<String> names = new LinkedHashSet<>();
    Matcher place = PLACE.matcher(text);
    while (place.find()) {
      if (place.group(1).isEmpty()) {
        names.add(place.group(2).substring(PARAMS.length()));
      }
    }
    return names;
  }

  /** The text with its places filled; every parameter that it names must have a value. */
  String fill(ObjectNode params) {
    return PLACE
        .matcher(text)
        .replaceAll(
            place ->
                Matcher.quoteReplacement(
                    place.group(1).isEmpty()
                        ? shown(params.get(place.group(2).substring(PARAMS.length())))
                        : place.group().substring(1)));
  }

  private static String shown(JsonNode value) {
    return value.isTextual() ? value.textValue() : value.toString();
  }
}
