package io.stoker.cli.command;

import io.stoker.cli.config.Changes;
import io.stoker.cli.config.ConfigFile;
import io.stoker.cli.config.KnownKeys;
import io.stoker.cli.local.DataFolder;
import io.stoker.cli.local.LastStart;
import io.stoker.cli.stack.StackOptions;
import io.stoker.cli.stack.child.StackEnvironment;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The settings of a start of the local stack: those of a file, else those of the last start that
 * the stack served after.
 */
final class StartSettings {
  private final Optional<LastStart> before;
  private final Optional<ConfigFile> file;
  private final LastStart now;

  private StartSettings(Optional<LastStart> before, Optional<ConfigFile> file, LastStart now) {
    this.before = before;
    this.file = file;
    this.now = now;
  }

  /**
   * Reads them.
   *
   * @param messages is told if those of the last start are damaged
   * @throws io.stoker.cli.outcome.CliException with exit code 2 if the file cannot be read or has
   *     what nobody would read
   */
  static StartSettings of(
      DataFolder data, Optional<Path> config, StackOptions options, Consumer<String> messages)
      throws IOException {
    Optional<LastStart> before = LastStart.read(data, messages);
    Optional<ConfigFile> file =
        config.map(path -> ConfigFile.read(path, KnownKeys.ofThisBuild(), StackEnvironment.OWN));
    Optional<String> name = config.map(path -> path.toAbsolutePath().normalize().toString());
    LastStart now =
        new LastStart(
            options.size().dispatchers(),
            options.size().hosts(),
            options.size().gpus(),
            name.or(() -> before.map(LastStart::config)).orElse(null),
            file.map(ConfigFile::settings)
                .or(() -> before.map(LastStart::settings))
                .orElse(Map.of()));
    return new StartSettings(before, file, now);
  }

  Map<String, String> byKey() {
    return now.settings();
  }

  /** Tells people where settings are from that they did not give, and what has changed. */
  void say(PrintWriter err) {
    if (file.isEmpty() && !now.settings().isEmpty()) {
      err.println(
          "stoker: settings as at the last start, %d of %s; --config FILE gives others"
              .formatted(now.settings().size(), now.config()));
    }
    before.ifPresent(
        last ->
            Changes.between(last, now)
                .forEach(line -> err.println("stoker: changed since the last start: " + line)));
    err.flush();
  }

  /** Remembers them, once the stack serves with them. */
  void keep(DataFolder data) throws IOException {
    now.write(data);
  }

  /** What went wrong, and last the lines of the file that it is about. */
  String placed(String trouble) {
    String places = file.map(read -> read.places(trouble)).orElse("");
    return places.isEmpty() ? trouble : trouble + "\n" + places;
  }
}
