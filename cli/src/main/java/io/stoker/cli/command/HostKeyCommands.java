package io.stoker.cli.command;

import io.stoker.cli.local.DataFolder;
import io.stoker.cli.local.HostKey;
import io.stoker.cli.local.StackSettings;
import io.stoker.cli.outcome.CliException;
import io.stoker.cli.outcome.ExitCode;
import io.stoker.cli.terminal.Terminal;
import io.stoker.common.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.ToIntFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stoker hosts key}, {@code rotate-key} and {@code revoke-key}. */
final class HostKeyCommands {
  private static final String VARIABLE = "STOKER_HOST_SECRET";

  private HostKeyCommands() {}

  /** A host, and what is changed of its keys. */
  private abstract static class Change implements Callable<Integer> {
    @Mixin private DataOption data;

    @Parameters(paramLabel = "HOST", description = "Name of a host, as stoker hosts shows it.")
    private String host;

    @Option(names = "--json", description = "Print what is answered as a JSON object.")
    private boolean json;

    Integer tell(ToIntFunction<Session> change) {
      try (Session session = new Session(data)) {
        Path key = data.folder().hostKey(host);
        return session.connection().isLocal() && Files.exists(key)
            ? Alone.at(key, () -> tell(session, change))
            : tell(session, change);
      }
    }

    private int tell(Session session, ToIntFunction<Session> change) {
      int generation = change.applyAsInt(session);
      boolean given = session.connection().isLocal() && give(data.folder(), generation);
      Terminal terminal = session.terminal();
      if (json) {
        Map<String, Object> told = Map.of("host", host, "generation", generation, "given", given);
        terminal.out().println(Json.text(told));
      } else {
        terminal.out().println(host + " " + generation);
        terminal.note(
            given
                ? "its agent has its new key"
                : "give its agent the key that stoker hosts key %s --generation %d prints"
                    .formatted(host, generation));
      }
      return ExitCode.DONE;
    }

    String host() {
      return host;
    }

    /** Hosts of the local stack have their keys in its folder. */
    private boolean give(DataFolder folder, int generation) {
      try {
        Optional<StackSettings> settings = StackSettings.read(folder);
        if (settings.isEmpty() || Files.notExists(folder.hostKey(host))) {
          return false;
        }
        HostKey.give(folder, host, settings.get().hostSecret(), generation);
        return true;
      } catch (IOException e) {
        throw CliException.failed("the new key cannot be written: " + e.getMessage(), e);
      }
    }
  }

  /** {@code stoker hosts rotate-key}. */
  @Command(
      name = "rotate-key",
      description = {
        "Has a host's next key taken, and the one before it for a while.",
        "Prints the generation of the next key, which its agent is to be given meanwhile; that of a",
        "local stack is given it. Nothing that runs there ends."
      },
      footerHeading = "%nExamples:%n",
      footer = {
        "  stoker hosts rotate-key gpu-box-7 --overlap 10m",
        "  stoker hosts key gpu-box-7 --generation 1 | ssh gpu-box-7 'cat > /etc/stoker/key'"
      })
  static final class Rotate extends Change {
    @Option(
        names = "--overlap",
        paramLabel = "D",
        converter = DurationConverter.class,
        description = "How long the key before is taken, too. Default: 1h.")
    private Duration overlap;

    @Override
    public Integer call() {
      return tell(session -> session.fleet().rotateKey(host(), overlap));
    }
  }

  /** {@code stoker hosts revoke-key}. */
  @Command(
      name = "revoke-key",
      description = {
        "Refuses keys of a host from now on.",
        "What runs there is held, and given to no other host, until its agent has the key of the",
        "generation that is printed; that of a local stack is given it."
      },
      footerHeading = "%nExamples:%n",
      footer = {
        "  stoker hosts revoke-key gpu-box-7                   all that it was ever given",
        "  stoker hosts revoke-key gpu-box-7 --generation 0    the one before a rotation, at once"
      })
  static final class Revoke extends Change {
    @Option(
        names = "--generation",
        paramLabel = "N",
        description = "The last one that is refused. Default: the newest.")
    private Integer generation;

    @Override
    public Integer call() {
      return tell(session -> session.fleet().revokeKey(host(), generation));
    }
  }

  /** {@code stoker hosts key}. */
  @Command(
      name = "key",
      description = {
        "Prints the key of a host, for stoker.agent.key-file of its agent.",
        "It follows from $STOKER_HOST_SECRET, or the secret of the local stack."
      },
      footerHeading = "%nExamples:%n",
      footer = {"  stoker hosts key gpu-box-7 --generation 1"})
  static final class Print implements Callable<Integer> {
    @Mixin private DataOption data;

    @Parameters(paramLabel = "HOST", description = "Name of a host.")
    private String host;

    @Option(
        names = "--generation",
        paramLabel = "N",
        defaultValue = "0",
        description = "How often it was rotated. Default: 0, the first key.")
    private int generation;

    @Override
    public Integer call() {
      try {
        Terminal terminal = data.terminal();
        terminal.out().println(HostKey.derive(secret(), host, generation));
        terminal.flush();
        return ExitCode.DONE;
      } catch (IllegalArgumentException e) {
        throw CliException.usage(VARIABLE + " is no hex");
      }
    }

    private String secret() {
      Optional<String> named = AccessOptions.variable(System.getenv(), VARIABLE);
      try {
        return named.isPresent()
            ? named.get()
            : StackSettings.read(data.folder())
                .map(StackSettings::hostSecret)
                .orElseThrow(
                    () ->
                        CliException.usage(
                            "%s is not set, and there is no stack on %s"
                                .formatted(VARIABLE, data.folder())));
      } catch (IOException e) {
        throw CliException.failed("the stack's secret cannot be read: " + e.getMessage(), e);
      }
    }
  }
}
