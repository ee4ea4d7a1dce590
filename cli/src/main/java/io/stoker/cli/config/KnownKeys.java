package io.stoker.cli.config;

import io.stoker.common.request.Nearest;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The keys that dispatchers and agents read, as docs/configuration.md, which goes with this build,
 * has them in its tables; a test holds that page to the code.
 */
public final class KnownKeys {
  private static final String PAGE = "configuration.md";
  private static final String PREFIX = "stoker.";

  /** Where a key has a name of the user's choice. */
  private static final String NAME = "NAME";

  /** In the row of a key below which each key is the user's choice. */
  private static final String A_KEY_EACH = "a key each";

  private static final Pattern ROW = Pattern.compile("\\| `(stoker\\.[A-Za-z.-]+)` \\|.*");

  /** Whom a key is for. */
  public enum Reader {
    DISPATCHER("## Dispatcher"),
    AGENT("## Agent");

    private final String heading;

    Reader(String heading) {
      this.heading = heading;
    }
  }

  private record Known(Reader reader, String key, Pattern pattern) {}

  private final List<Known> all = new ArrayList<>();

  private KnownKeys() {}

  /** Those of this build. */
  public static KnownKeys ofThisBuild() {
    try (InputStream page = KnownKeys.class.getResourceAsStream(PAGE)) {
      return read(new BufferedReader(new InputStreamReader(page, StandardCharsets.UTF_8)));
    } catch (IOException e) {
      throw new UncheckedIOException("reading " + PAGE + " of this build", e);
    }
  }

  static KnownKeys read(BufferedReader page) throws IOException {
    KnownKeys known = new KnownKeys();
    Reader reader = null;
    for (String line = page.readLine(); line != null; line = page.readLine()) {
      if (line.startsWith("## ")) {
        reader = headed(line);
      }
      Matcher row = ROW.matcher(line);
      if (reader != null && row.matches()) {
        String key = row.group(1);
        known.all.add(new Known(reader, key, pattern(key, line.contains(A_KEY_EACH))));
      }
    }
    return known;
  }

  private static Reader headed(String line) {
    for (Reader reader : Reader.values()) {
      if (line.strip().equals(reader.heading)) {
        return reader;
      }
    }
    return null;
  }

  /** A name may stand in quotes, a list may be given by its elements. */
  private static Pattern pattern(String key, boolean keyEach) {
    String name = "(\"[^\"]+\"|[^.\"]+)";
    String literal = Pattern.quote(key).replace("." + NAME + ".", ".\\E" + name + "\\Q.");
    return Pattern.compile(literal + "(\\[\\d+])?" + (keyEach ? "(\\..+)?" : ""));
  }

  /** Whether anybody reads a key. */
  boolean contains(String key) {
    return all.stream().anyMatch(known -> known.pattern.matcher(key).matches());
  }

  /** Whether a key is to be told to a reader: its own, and what is not Stoker's and so of both. */
  public boolean concerns(Reader reader, String key) {
    return !key.startsWith(PREFIX)
        || all.stream()
            .anyMatch(known -> known.reader == reader && known.pattern.matcher(key).matches());
  }

  /** Such as {@code (did you mean stoker.lease.duration?)}; empty if nothing is near. */
  String hint(String key) {
    List<String> candidates = new ArrayList<>();
    for (Known known : all) {
      candidates.add(named(known.key, key));
    }
    return contains(PREFIX + key)
        ? " (did you mean %s?)".formatted(PREFIX + key)
        : Nearest.hint(key, candidates);
  }

  /** A key of ours with the name that the user's has in its place. */
  private static String named(String known, String key) {
    int at = known.indexOf("." + NAME + ".");
    String[] words = key.split("\\.");
    long before = known.substring(0, Math.max(0, at)).chars().filter(one -> one == '.').count() + 1;
    return at < 0 || words.length <= before
        ? known
        : known.replace("." + NAME + ".", "." + words[(int) before] + ".");
  }

  /** The environment variable by which a key is given. */
  public static String variable(String key) {
    return key.replaceAll("[^A-Za-z0-9]", "_").toUpperCase(Locale.ROOT);
  }
}
