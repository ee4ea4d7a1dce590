package io.stoker.dispatcher.service.postgres;

import io.stoker.dispatcher.runtime.Fault;
import io.stoker.dispatcher.service.runtime.Faults;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;

/**
 * The schema that this build's statements are for, as its migrations make it, and what a database
 * lacks of it. A database may have more: migrations only add, and a later build may have run its
 * own.
 *
 * @param versions of the migrations, the newest last
 * @param tables that they make
 */
public record Schema(List<String> versions, Set<String> tables) {
  /**
   * The clock by which all is due in a database of this schema, as an expression: ms since 1970.
   */
  public static final String CLOCK = Queries.CLOCK;

  /** Versions of the migrations that a database has had. */
  public static final String VERSIONS =
      "select version from flyway_schema_history where success and version is not null";

  /** Tables and columns that there are, of tables with all rights that a dispatcher needs. */
  public static final String COLUMNS =
      "select c.relname || '.' || a.attname from pg_class c join pg_namespace n on n.oid ="
          + " c.relnamespace join pg_attribute a on a.attrelid = c.oid where n.nspname ="
          + " current_schema() and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped"
          + " and has_table_privilege(c.oid, 'SELECT') and has_table_privilege(c.oid, 'INSERT') and"
          + " has_table_privilege(c.oid, 'UPDATE') and has_table_privilege(c.oid, 'DELETE')";

  /** SQLSTATE of a right that is missing. */
  static final String MAY_NOT = "42501";

  private static final String FOLDER = "db/migration";
  private static final String FIRST = FOLDER + "/V1__spine.sql";
  private static final Pattern FILE = Pattern.compile("V([0-9_]+?)__\\w+\\.sql");
  private static final Pattern TABLE =
      Pattern.compile("(?im)^\\s*(create|drop) table (?:if (?:not )?exists )?(\\w+)");

  private static final Comparator<String> BY_NUMBERS =
      (a, b) -> {
        String[] left = a.split("\\.");
        String[] right = b.split("\\.");
        for (int i = 0; i < Math.min(left.length, right.length); i++) {
          int order = Integer.compare(Integer.parseInt(left[i]), Integer.parseInt(right[i]));
          if (order != 0) {
            return order;
          }
        }
        return Integer.compare(left.length, right.length);
      };

  /** As the migrations say that are part of this build. */
  public static Schema ofThisBuild() {
    List<String> versions = new ArrayList<>();
    Set<String> tables = new TreeSet<>();
    try {
      for (String file : migrations()) {
        Matcher name = FILE.matcher(file);
        if (name.matches()) {
          versions.add(name.group(1).replace('_', '.'));
          Matcher table = TABLE.matcher(read(file));
          while (table.find()) {
            boolean made = table.group(1).equalsIgnoreCase("create");
            if (made) {
              tables.add(table.group(2));
            } else {
              tables.remove(table.group(2));
            }
          }
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("the migrations of this build cannot be read", e);
    }
    versions.sort(BY_NUMBERS);
    return new Schema(List.copyOf(versions), Set.copyOf(tables));
  }

  /** The version that a database needs at least. */
  public String version() {
    return versions.getLast();
  }

  /** Whether one version of a schema is later than another one. */
  public static boolean isLater(String version, String other) {
    return BY_NUMBERS.compare(version, other) > 0;
  }

  /** The newest of a database's versions, for people. */
  public static Optional<String> newest(Collection<String> found) {
    return found.stream().max(BY_NUMBERS);
  }

  /**
   * What keeps the statements of this build from running there, and what to do.
   *
   * @param found versions of the migrations that the database has had; empty if it does not say
   * @param columns {@code table.column} that can be used there
   */
  public Optional<String> problem(Optional<Collection<String>> found, Collection<String> columns) {
    List<String> missing =
        versions.stream().filter(v -> found.isPresent() && !found.get().contains(v)).toList();
    if (!missing.isEmpty()) {
      String has = found.flatMap(Schema::newest).map(v -> "at version " + v).orElse("empty");
      return Optional.of(
          "the database's schema is %s, this build needs %s (%s missing): run stoker migrate"
              .formatted(has, version(), missing));
    }
    Set<String> usable = new TreeSet<>();
    columns.forEach(column -> usable.add(column.substring(0, column.indexOf('.'))));
    List<String> away = tables.stream().filter(table -> !usable.contains(table)).sorted().toList();
    return away.isEmpty()
        ? Optional.empty()
        : Optional.of(
            ("tables %s are not there, or its user may not read and write them: put them back, or"
                    + " grant the rights")
                .formatted(away));
  }

  /**
   * What keeps a database from being asked at all, and what to do; nothing where that passes by
   * itself.
   */
  static Optional<String> problem(Throwable error) {
    if (Faults.of(error) != Fault.NOT_READY) {
      return Optional.empty();
    }
    String state = Faults.sqlState(error).orElse("");
    String todo =
        switch (state.substring(0, Math.min(2, state.length()))) {
          case "42" -> "the database has no schema of Stoker: run stoker migrate";
          case "28" ->
              "the database does not let us in: see stoker.postgres.user, password and tls";
          default -> "this is not the database: see stoker.postgres.url, or run stoker migrate";
        };
    return Optional.of(todo + " (" + Fault.sentence(error) + ")");
  }

  /** File names, from a folder of classes or from a jar. */
  private static List<String> migrations() throws IOException {
    URL first = loader().getResource(FIRST);
    if (first == null) {
      throw new IOException("no " + FIRST + " on the class path");
    }
    if (first.getProtocol().equals("jar")) {
      // Asked for by its own name: the class loader's own connection may not list what is in it.
      URL jar = URI.create(first.toString()).toURL();
      JarURLConnection connection = (JarURLConnection) jar.openConnection();
      connection.setUseCaches(false);
      try (var file = connection.getJarFile()) {
        return file.stream()
            .map(ZipEntry::getName)
            .filter(name -> name.startsWith(FOLDER + "/"))
            .map(name -> name.substring(FOLDER.length() + 1))
            .toList();
      }
    }
    try (Stream<Path> files = Files.list(Path.of(URI.create(first.toString())).getParent())) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }

  private static String read(String file) throws IOException {
    try (InputStream in = loader().getResourceAsStream(FOLDER + "/" + file)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static ClassLoader loader() {
    return Schema.class.getClassLoader();
  }
}
