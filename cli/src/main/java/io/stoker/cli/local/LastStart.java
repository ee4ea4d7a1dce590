package io.stoker.cli.local;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * The options of a local stack's last start, of those starts that it served after.
 *
 * @param config the file that the settings are from; null if none was ever named
 * @param settings of dispatchers and agents, by their keys
 */
public record LastStart(
    int dispatchers, int hosts, int gpus, String config, Map<String, String> settings) {
  public LastStart {
    settings = settings == null ? Map.of() : new TreeMap<>(settings);
  }

  /**
   * Empty if the folder's stack has never served.
   *
   * @param messages is told if what it wrote is damaged, and so passed over
   */
  public static Optional<LastStart> read(DataFolder data, Consumer<String> messages)
      throws IOException {
    return file(data).readUndamaged(messages);
  }

  public void write(DataFolder data) throws IOException {
    file(data).write(this);
  }

  private static JsonFile<LastStart> file(DataFolder data) {
    return new JsonFile<>(data.lastStartFile(), LastStart.class);
  }
}
