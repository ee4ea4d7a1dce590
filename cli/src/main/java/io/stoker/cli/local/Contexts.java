package io.stoker.cli.local;

import io.stoker.cli.outcome.CliException;
import io.stoker.common.text.FileTrouble;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The stacks that somebody works with, by name, and the one that commands reach; a file that its
 * owner alone may read.
 *
 * @param used null for the local stack
 */
public record Contexts(String used, Map<String, Context> contexts) {
  /** The name that stands for the local stack. */
  public static final String LOCAL = "local";

  public Contexts {
    contexts = contexts == null ? Map.of() : Map.copyOf(contexts);
  }

  /**
   * A stack, and who somebody is there; null for what is not known.
   *
   * @param url of REST
   * @param bootstrap of Kafka, {@code host:port}
   * @param ca file with the certificates by which it is believed, PEM
   * @param certificate file with the own certificate and its key, PEM
   */
  public record Context(
      String url, String bootstrap, String token, String ca, String certificate) {}

  /** Where they are kept. */
  public static Path file(Map<String, String> environment) {
    String home = environment.getOrDefault("XDG_CONFIG_HOME", "");
    Path folder =
        home.isBlank()
            ? Path.of(environment.getOrDefault("HOME", System.getProperty("user.home")), ".config")
            : Path.of(home);
    return folder.resolve("stoker").resolve("contexts.json");
  }

  /**
   * Those that are kept.
   *
   * @throws CliException with exit code 2 if the file cannot be read
   */
  public static Contexts read(Path file) {
    if (!Files.exists(file)) {
      return new Contexts(null, null);
    }
    try {
      return new JsonFile<>(file, Contexts.class).read().orElseGet(() -> new Contexts(null, null));
    } catch (IOException e) {
      throw CliException.usage("the contexts cannot be read: " + FileTrouble.text(e));
    }
  }

  /**
   * Keeps them.
   *
   * @throws CliException with exit code 1 if they cannot be written
   */
  public void write(Path file) {
    try {
      Files.createDirectories(file.getParent());
      new JsonFile<>(file, Contexts.class).write(this);
    } catch (IOException e) {
      throw CliException.failed("the contexts cannot be written: " + FileTrouble.text(e), e);
    }
  }

  /**
   * One of them; empty for {@link #LOCAL}.
   *
   * @throws CliException with exit code 2 if there is none of that name
   */
  public Optional<Context> named(String name) {
    if (name.equals(LOCAL)) {
      return Optional.empty();
    }
    if (!contexts.containsKey(name)) {
      throw CliException.usage(
          "there is no context %s, expected %s or one of %s; see stoker context add"
              .formatted(name, LOCAL, contexts.keySet().stream().sorted().toList()));
    }
    return Optional.of(contexts.get(name));
  }

  /** The one in use; empty for the local stack. */
  public Optional<Context> current() {
    return used == null ? Optional.empty() : named(used);
  }

  /** With this one in use. */
  public Contexts use(String name) {
    return new Contexts(named(name).isEmpty() ? null : name, contexts);
  }

  /**
   * With one more, or another one of its name.
   *
   * @throws CliException with exit code 2 if it may not be called so
   */
  public Contexts with(String name, Context context) {
    if (name.equals(LOCAL) || !name.matches("[A-Za-z0-9._-]{1,64}")) {
      throw CliException.usage(
          "the name is %s, expected 1 to 64 of A-Z a-z 0-9 . _ -, and not %s"
              .formatted(name, LOCAL));
    }
    Map<String, Context> more = new TreeMap<>(contexts);
    more.put(name, context);
    return new Contexts(used, more);
  }

  /** Without one of them; where it was in use, the local stack is. */
  public Contexts without(String name) {
    Map<String, Context> fewer = new TreeMap<>(contexts);
    if (fewer.remove(name) == null) {
      named(name);
    }
    return new Contexts(name.equals(used) ? null : used, fewer);
  }
}
