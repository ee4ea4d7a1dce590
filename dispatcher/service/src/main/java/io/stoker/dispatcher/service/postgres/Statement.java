package io.stoker.dispatcher.service.postgres;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A statement as the driver takes it: parameters have places in place of names.
 *
 * @param sql with {@code $1}, {@code $2} and so on
 * @param names of the parameters, by place; each once, however often it occurs
 */
record Statement(String sql, List<String> names) {
  /** A text, which stays as it is, or a parameter. */
  private static final Pattern NAMED = Pattern.compile("'[^']*'|::|:([a-zA-Z_]\\w*)");

  /**
   * Each was read once: as many as the code has, and ways to put writes and filters together.
   * Whoever tries all ways to put filters together finds no more room.
   */
  private static final Made<String, Statement> READ = new Made<>(4_000);

  /** The statement that has parameters like {@code :name}. */
  static Statement of(String named) {
    return READ.of(named, Statement::read);
  }

  private static Statement read(String named) {
    List<String> names = new ArrayList<>();
    StringBuilder sql = new StringBuilder();
    Matcher found = NAMED.matcher(named);
    while (found.find()) {
      String name = found.group(1);
      if (name == null) {
        found.appendReplacement(sql, Matcher.quoteReplacement(found.group()));
        continue;
      }
      if (!names.contains(name)) {
        names.add(name);
      }
      found.appendReplacement(sql, "\\$" + (names.indexOf(name) + 1));
    }
    found.appendTail(sql);
    return new Statement(sql.toString(), List.copyOf(names));
  }

  /**
   * Its parameters in order.
   *
   * @throws IllegalArgumentException if one is missing, or nobody asks for one
   */
  Object[] values(Map<String, ?> parameters) {
    Object[] values = new Object[names.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = parameters.get(names.get(i));
      if (values[i] == null) {
        throw new IllegalArgumentException("no value for :" + names.get(i) + " in " + sql);
      }
    }
    if (parameters.size() != values.length) {
      throw new IllegalArgumentException(
          "parameters %s for %s".formatted(parameters.keySet(), sql));
    }
    return values;
  }
}
