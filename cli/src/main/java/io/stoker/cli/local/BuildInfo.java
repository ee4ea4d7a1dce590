package io.stoker.cli.local;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/**
 * The facts that the build wrote down about itself: versions of Stoker and of the binaries it
 * carries.
 */
public final class BuildInfo implements IVersionProvider {
  private static final Properties PROPERTIES = load();

  /** Stoker's own version, e.g. {@code 0.1.0}. */
  public static String version() {
    return value("version");
  }

  /** Version of the PostgreSQL binaries on the class path. */
  public static String postgresVersion() {
    return value("postgres.version");
  }

  /** Version of the library that carries the Redis binaries. */
  public static String redisVersion() {
    return value("redis.version");
  }

  @Override
  public String[] getVersion() {
    return new String[] {
      "stoker " + version(), "Java " + Runtime.version() + ", " + System.getProperty("java.home")
    };
  }

  private static String value(String key) {
    String value = PROPERTIES.getProperty(key);
    if (value == null) {
      throw new IllegalStateException("build.properties lacks " + key);
    }
    return value;
  }

  private static Properties load() {
    Properties properties = new Properties();
    try (InputStream in = BuildInfo.class.getResourceAsStream("build.properties")) {
      properties.load(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return properties;
  }
}
