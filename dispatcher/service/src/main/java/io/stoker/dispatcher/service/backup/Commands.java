package io.stoker.dispatcher.service.backup;

import io.stoker.common.json.Json;
import io.stoker.common.text.FileTrouble;
import io.stoker.dispatcher.host.HostKeyBook;
import io.stoker.dispatcher.service.config.HostKeys;
import io.stoker.dispatcher.service.postgres.DatabaseAddress;
import io.stoker.dispatcher.service.postgres.Migration;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.kafka.common.KafkaException;
import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.ConfigProvider;
import org.flywaydb.core.api.FlywayException;

/**
 * {@code migrate}, {@code backup} and {@code restore}, which need nothing of a running dispatcher.
 * What was done goes to standard output, everything else to standard error.
 */
public final class Commands {
  private static final int DONE = 0;
  private static final int FAILED = 1;
  private static final int USAGE = 2;
  private static final int UNREACHABLE = 3;
  private static final String JSON = "--json";
  private static final int CONNECT_S = 10;

  private Commands() {}

  /**
   * What was asked for.
   *
   * @param file null for what needs none
   * @param force whether what is there may be lost
   * @param json whether it is said in JSON
   */
  private record Asked(Path file, boolean force, boolean json) {
    static Asked of(List<String> arguments) {
      List<String> files = arguments.stream().filter(word -> !word.startsWith("--")).toList();
      List<String> options = arguments.stream().filter(word -> word.startsWith("--")).toList();
      if (files.size() != 1 || !List.of("--force", JSON).containsAll(options)) {
        throw unexpected("FILE [--force] [--json]", arguments);
      }
      return new Asked(
          Path.of(files.getFirst()).toAbsolutePath().normalize(),
          options.contains("--force"),
          options.contains(JSON));
    }

    static Asked ofNoFile(List<String> arguments) {
      if (!List.of(JSON).containsAll(arguments)) {
        throw unexpected("[--json]", arguments);
      }
      return new Asked(null, false, arguments.contains(JSON));
    }

    private static IllegalArgumentException unexpected(String expected, List<String> arguments) {
      return new IllegalArgumentException(
          "expected %s, not %s".formatted(expected, String.join(" ", arguments)));
    }
  }

  private interface Work {
    /** Returns what was done, as a record and as a sentence. */
    Said run(Asked asked, Config config, Say say)
        throws IOException, SQLException, InterruptedException;
  }

  private record Said(Object done, String sentence) {}

  /** Runs the one of that name; returns its exit code. */
  public static int run(String... arguments) {
    quietLibraries();
    List<String> rest = Arrays.asList(arguments).subList(1, arguments.length);
    Config config = ConfigProvider.getConfig();
    return switch (arguments[0]) {
      case "migrate" -> run(Commands::migrate, () -> Asked.ofNoFile(rest), config);
      case "backup" -> run(Commands::backup, () -> Asked.of(rest), config);
      default -> run(Commands::restore, () -> Asked.of(rest), config);
    };
  }

  private static int run(Work work, Supplier<Asked> arguments, Config config) {
    PrintStream out = System.out;
    PrintStream err = System.err;
    try {
      Asked asked = arguments.get();
      Said said = work.run(asked, config, new Say(err));
      out.println(asked.json() ? Json.text(said.done()) : said.sentence());
      return DONE;
    } catch (IllegalArgumentException e) {
      err.println(e.getMessage());
      return USAGE;
    } catch (Refused | FlywayException e) {
      err.println(e.getMessage());
      return FAILED;
    } catch (IOException e) {
      err.println(FileTrouble.text(e));
      return FAILED;
    } catch (SQLException e) {
      err.println("Postgres: " + e.getMessage());
      boolean away = e.getSQLState() != null && e.getSQLState().startsWith("08");
      return away ? UNREACHABLE : FAILED;
    } catch (KafkaException e) {
      err.println("Kafka: " + e.getMessage());
      return UNREACHABLE;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return FAILED;
    }
  }

  private static Said migrate(Asked asked, Config config, Say say) throws SQLException {
    DatabaseAddress database = DatabaseAddress.of(config);
    database.connect(CONNECT_S, CONNECT_S).close(); // whose errors say more than the migration's
    Migration.Done done = Migration.migrate(database);
    return new Said(
        done,
        done.migrations() == 0
            ? "the database is at version %s already".formatted(done.version())
            : "the database is at version %s now, by %d migration(s)"
                .formatted(done.version(), done.migrations()));
  }

  private static Said backup(Asked asked, Config config, Say say) throws IOException, SQLException {
    Backup.Taken taken = new Backup(Place.of(config), say).take(asked.file(), asked.force());
    return new Said(
        taken,
        "%s: %,d rows in %d tables, as of %s, %,d bytes"
            .formatted(taken.file(), taken.rows(), taken.tables(), taken.at(), taken.bytes()));
  }

  private static Said restore(Asked asked, Config config, Say say)
      throws IOException, SQLException, InterruptedException {
    HostKeyBook book = new HostKeyBook();
    Restore.Done done =
        new Restore(Place.of(config), HostKeys.of(config, book), book, say)
            .restore(asked.file(), asked.force());
    return new Said(
        done,
        ("restored %,d rows in %d tables, as of %s. Start the dispatchers: they read %,d records"
                + " again, and place nothing until %d host(s) are settled: stoker hosts")
            .formatted(
                done.rows(), done.tables(), done.backupAt(), done.again(), done.hosts().size()));
  }

  /** What they have to say is said by the commands. */
  private static void quietLibraries() {
    Logger.getLogger("").setLevel(Level.SEVERE);
  }
}
