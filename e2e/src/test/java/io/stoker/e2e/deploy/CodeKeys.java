package io.stoker.e2e.deploy;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.smallrye.config.WithName;
import io.smallrye.config.WithParentName;
import io.stoker.e2e.Checkout;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The {@code stoker.*} keys that a module's code reads, with their defaults: those of its
 * {@code @ConfigMapping} interfaces, and those that its application.properties refers to.
 */
final class CodeKeys {
  private static final Pattern REFERENCE =
      Pattern.compile("\\$\\{(stoker\\.[a-z.-]+)(?::([^}]*))?}");

  private final TreeMap<String, Optional<String>> keys = new TreeMap<>();

  /** Those below which each key is the user's. */
  private final TreeSet<String> maps = new TreeSet<>();

  private CodeKeys() {}

  /** Keys of a module by name; an empty default means that there is none. */
  static TreeMap<String, Optional<String>> of(String module) throws Exception {
    return in(module).keys;
  }

  /** Those below which each key is the user's. */
  static Set<String> maps(String module) throws Exception {
    return in(module).maps;
  }

  private static CodeKeys in(String module) throws Exception {
    CodeKeys found = new CodeKeys();
    for (Class<?> mapping : mappings(Checkout.root().resolve(module).resolve("target/classes"))) {
      found.add(mapping.getAnnotation(ConfigMapping.class).prefix(), mapping);
    }
    found.addReferences(
        Checkout.root().resolve(module).resolve("src/main/resources/application.properties"));
    return found;
  }

  private static List<Class<?>> mappings(Path classes) throws Exception {
    List<String> names;
    try (Stream<Path> files = Files.walk(classes)) {
      names =
          files
              .map(file -> classes.relativize(file).toString())
              .filter(name -> name.endsWith("Config.class") && !name.contains("$"))
              .map(name -> name.replace('/', '.').replaceFirst("\\.class$", ""))
              .toList();
    }
    // The dispatcher is a process to these tests, and no library.
    ClassLoader loader =
        new URLClassLoader(new URL[] {classes.toUri().toURL()}, CodeKeys.class.getClassLoader());
    List<Class<?>> mappings = new ArrayList<>();
    for (String name : names) {
      Class<?> candidate = Class.forName(name, false, loader);
      if (candidate.isAnnotationPresent(ConfigMapping.class)) {
        mappings.add(candidate);
      }
    }
    return mappings;
  }

  private void add(String prefix, Class<?> mapping) {
    for (Method method : mapping.getMethods()) {
      if (Modifier.isStatic(method.getModifiers())) {
        continue;
      }
      String key =
          method.isAnnotationPresent(WithParentName.class)
              ? prefix + (isMapOfGroups(method) ? ".NAME" : "")
              : prefix + "." + name(method) + (isMapOfGroups(method) ? ".NAME" : "");
      Class<?> group = group(method.getGenericReturnType());
      if (group.isInterface() && group.getName().startsWith("io.stoker.")) {
        add(key, group);
      } else {
        WithDefault given = method.getAnnotation(WithDefault.class);
        put(key, Optional.ofNullable(given).map(WithDefault::value));
        if (method.getReturnType() == Map.class) {
          maps.add(key);
        }
      }
    }
  }

  private void addReferences(Path properties) throws IOException {
    if (Files.exists(properties)) {
      Matcher reference = REFERENCE.matcher(Files.readString(properties));
      while (reference.find()) {
        put(reference.group(1), Optional.ofNullable(reference.group(2)));
      }
    }
  }

  private void put(String key, Optional<String> value) {
    Optional<String> before = keys.put(key, value);
    if (before != null && !before.equals(value)) {
      throw new AssertionError(
          "%s has two defaults in the code: %s and %s".formatted(key, before, value));
    }
  }

  /** Whether it holds a group of keys for each of any names. */
  private static boolean isMapOfGroups(Method method) {
    Class<?> group = group(method.getGenericReturnType());
    return method.getReturnType() == Map.class && group.getName().startsWith("io.stoker.");
  }

  private static Class<?> group(Type type) {
    if (type instanceof ParameterizedType given) {
      Type[] arguments = given.getActualTypeArguments();
      return group(arguments[arguments.length - 1]);
    }
    return type instanceof Class<?> plain ? plain : Object.class;
  }

  private static String name(Method method) {
    WithName given = method.getAnnotation(WithName.class);
    return given != null
        ? given.value()
        : method.getName().replaceAll("([a-z0-9])([A-Z])", "$1-$2").toLowerCase(Locale.ROOT);
  }
}
