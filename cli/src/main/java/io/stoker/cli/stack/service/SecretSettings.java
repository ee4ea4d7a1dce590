package io.stoker.cli.stack.service;

import io.stoker.cli.local.DataFolder;
import io.stoker.cli.local.PrivateFile;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;

/**
 * Keys and passwords that a service of a local stack is given: in a file for its owner alone, since
 * the environment of a process can be read by all of its user's, jobs among them.
 */
public final class SecretSettings {
  /** The key by which a file says how strong it is. */
  static final String ORDINAL = "config_ordinal";

  /** A service's environment has 300: what the stack gives wins. */
  private static final String OVER_THE_ENVIRONMENT = "350";

  private SecretSettings() {}

  /** Of whoever works on the stack's database. */
  public static Map<String, String> ofDatabase(String password) {
    return Map.of("stoker.postgres.password", password);
  }

  /** Writes them for a process of the stack. */
  public static Path write(DataFolder data, String process, Map<String, String> byKey)
      throws IOException {
    Properties all = new Properties();
    all.putAll(byKey);
    all.setProperty(ORDINAL, OVER_THE_ENVIRONMENT);
    return write(data.workFolder(process).resolve("secrets.properties"), all);
  }

  static Path write(Path file, Properties settings) throws IOException {
    StringWriter text = new StringWriter();
    settings.store(text, null);
    PrivateFile.write(file, text.toString().getBytes(StandardCharsets.UTF_8));
    return file;
  }
}
