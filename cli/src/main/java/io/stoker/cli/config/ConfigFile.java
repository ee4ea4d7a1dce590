package io.stoker.cli.config;

import io.stoker.cli.config.NumberedProperties.Entry;
import io.stoker.cli.config.NumberedProperties.Malformed;
import io.stoker.cli.outcome.CliException;
import io.stoker.common.text.FileTrouble;
import io.stoker.common.text.Secrets;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Reads the settings of a local stack from a properties file, and refuses what nobody would read.
 */
public final class ConfigFile {
  /** Whose keys pass unseen: those of Quarkus and of what it is made of. */
  private static final Set<String> OF_OTHERS = Set.of("quarkus", "kafka", "mp", "smallrye");

  private final Path path;
  private final KnownKeys known;
  private final Set<String> taken;
  private final Map<String, Integer> lines = new HashMap<>();
  private final TreeMap<String, String> settings = new TreeMap<>();

  private ConfigFile(Path path, KnownKeys known, Set<String> taken) {
    this.path = path;
    this.known = known;
    this.taken = taken;
  }

  /**
   * Reads one.
   *
   * @param taken variables of settings that the stack makes itself, so that a file cannot
   * @throws CliException with exit code 2 and file, line and key if one is wrong
   */
  public static ConfigFile read(Path path, KnownKeys known, Set<String> taken) {
    ConfigFile file = new ConfigFile(path, known, taken);
    try {
      NumberedProperties.read(Files.readString(path)).forEach(file::add);
    } catch (Malformed e) {
      throw file.refused(e.line(), e.getMessage());
    } catch (CharacterCodingException e) {
      throw CliException.usage("--config is %s, expected a text file in UTF-8".formatted(path));
    } catch (IOException e) {
      throw CliException.usage(
          "--config is %s, which cannot be read: %s".formatted(path, FileTrouble.reading(e)));
    }
    return file;
  }

  /** Values by key. */
  public Map<String, String> settings() {
    return Collections.unmodifiableMap(settings);
  }

  /**
   * The settings that a message of somebody who read them is about, such as {@code a.properties
   * line 3: stoker.lease.duration is soon}; a line each, none if it names none.
   */
  public String places(String message) {
    return settings.keySet().stream()
        .filter(key -> message.matches("(?s).*%s(?![A-Za-z0-9.-]).*".formatted(Pattern.quote(key))))
        .map(
            key ->
                "%s line %d: %s is %s"
                    .formatted(path, lines.get(key), key, Secrets.shown(key, settings.get(key))))
        .collect(Collectors.joining("\n"));
  }

  private void add(Entry entry) {
    String key = entry.key();
    Integer before = lines.putIfAbsent(key, entry.line());
    if (before != null) {
      throw refused(entry.line(), "%s is in line %d already, expected once".formatted(key, before));
    }
    if (!isKnown(key)) {
      throw refused(
          entry.line(),
          "%s is no key%s, expected one of docs/configuration.md"
              .formatted(key.isEmpty() ? "the empty text" : key, known.hint(key)));
    }
    if (taken.contains(KnownKeys.variable(key))) {
      throw refused(
          entry.line(), key + " is what the local stack sets itself, expected it to be left out");
    }
    settings.put(key, entry.value());
  }

  private boolean isKnown(String key) {
    // Quarkus takes keys for one of its profiles alone.
    String plain = key.startsWith("%") ? key.substring(key.indexOf('.') + 1) : key;
    int dot = plain.indexOf('.');
    return dot > 0 && OF_OTHERS.contains(plain.substring(0, dot)) || known.contains(plain);
  }

  private CliException refused(int line, String what) {
    return CliException.usage("%s line %d: %s".formatted(path, line, what));
  }
}
