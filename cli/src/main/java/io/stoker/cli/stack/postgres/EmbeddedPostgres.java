package io.stoker.cli.stack.postgres;

import io.stoker.cli.local.DataFolder;
import io.stoker.cli.local.Role;
import io.stoker.cli.stack.child.ChildSpec;
import io.stoker.cli.stack.child.Guard;
import io.stoker.cli.stack.child.LogTail;
import io.stoker.cli.stack.child.Once;
import io.stoker.cli.stack.child.Unpacked;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The PostgreSQL child: durable (fsync, synchronous commits, data checksums), with its data kept in
 * the data folder, listening on loopback alone.
 */
public final class EmbeddedPostgres {
  public static final String NAME = "postgres";

  /** Owner of everything in the cluster. */
  public static final String USER = "stoker";

  private static final Map<String, String> SETTINGS =
      Map.ofEntries(
          Map.entry("listen_addresses", "127.0.0.1"),
          Map.entry("unix_socket_directories", ""),
          Map.entry("fsync", "on"),
          Map.entry("synchronous_commit", "on"),
          Map.entry("full_page_writes", "on"),
          Map.entry("shared_buffers", "128MB"),
          Map.entry("max_connections", "100"),
          Map.entry("max_wal_size", "2GB"),
          // Queue tables change all over every few seconds: a fifth of a large one is far too late.
          Map.entry("autovacuum_vacuum_scale_factor", "0.01"),
          Map.entry("autovacuum_analyze_scale_factor", "0.02"),
          Map.entry("autovacuum_naptime", "10s"),
          // Compiling costs more than any of the short statements here takes.
          Map.entry("jit", "off"),
          Map.entry("timezone", "UTC"),
          Map.entry("log_timezone", "UTC"));

  private final DataFolder data;
  private final PostgresBinaries binaries;
  private final List<String> asOrdinaryUser;

  private EmbeddedPostgres(DataFolder data, PostgresBinaries binaries, List<String> prefix) {
    this.data = data;
    this.binaries = binaries;
    this.asOrdinaryUser = prefix;
  }

  /** Unpacks the programs and makes the database cluster, each if it is not there yet. */
  public static EmbeddedPostgres prepare(DataFolder data, Path cache, String password)
      throws IOException, InterruptedException {
    EmbeddedPostgres postgres =
        new EmbeddedPostgres(data, PostgresBinaries.unpack(cache), ordinaryUserPrefix());
    if (!Files.isDirectory(data.postgres())) {
      postgres.initialise(password);
    }
    return postgres;
  }

  public ChildSpec spec(int port) throws IOException {
    List<String> command = new ArrayList<>(asOrdinaryUser);
    command.addAll(
        List.of(
            binaries.program("postgres"),
            "-D",
            data.postgres().toString(),
            "-p",
            Integer.toString(port)));
    SETTINGS.forEach((key, value) -> command.addAll(List.of("-c", key + "=" + value)));
    return new ChildSpec(
        NAME,
        Role.POSTGRES,
        command,
        Map.of(),
        data.workFolder(NAME),
        data.log(NAME),
        // SIGTERM would wait for the last client to leave; SIGINT rolls back and ends at once.
        new ChildSpec.Stop("INT", Duration.ofSeconds(20)),
        new StalePidFile(data.postgres())::clear);
  }

  private void initialise(String password) throws IOException, InterruptedException {
    // Made beside its place and moved there whole, so that a killed start leaves no half cluster.
    Path partial = data.root().resolve("postgres.new");
    Unpacked.delete(partial);
    Path passwordFile = data.root().resolve("postgres.password");
    Files.deleteIfExists(passwordFile);
    Files.createFile(
        passwordFile,
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(passwordFile, password);
    List<String> command = new ArrayList<>(asOrdinaryUser);
    command.addAll(
        List.of(
            binaries.program("initdb"),
            "--pgdata=" + partial,
            "--username=" + USER,
            "--pwfile=" + passwordFile,
            "--auth=scram-sha-256",
            // Rounds keep a weak password from being guessed. This one is random, and each
            // connection of a young JVM would take 30 ms for the default of 4,096.
            "--set=scram_iterations=1",
            "--encoding=UTF8",
            "--locale=C",
            "--data-checksums"));
    Path log = data.log("postgres-initdb");
    int exit;
    try {
      exit = Once.run(command, Map.of(), log);
    } finally {
      Files.delete(passwordFile);
    }
    if (exit != 0) {
      throw new IOException("initdb ended with exit code %d%s".formatted(exit, LogTail.of(log)));
    }
    Files.move(partial, data.postgres(), StandardCopyOption.ATOMIC_MOVE);
  }

  /** Why no PostgreSQL can be started here, if so. */
  public static Optional<String> obstacle() throws InterruptedException {
    try {
      PostgresBinaries.find();
      List<String> asOrdinaryUser = new ArrayList<>(ordinaryUserPrefix());
      if (asOrdinaryUser.isEmpty()) {
        return Optional.empty();
      }
      asOrdinaryUser.add("true");
      int exit = new ProcessBuilder(asOrdinaryUser).redirectErrorStream(true).start().waitFor();
      return exit == 0
          ? Optional.empty()
          : Optional.of("PostgreSQL does not run as root, and user namespaces are turned off here");
    } catch (IOException e) {
      return Optional.of(e.getMessage());
    }
  }

  /** PostgreSQL refuses to run as root; inside a user namespace of its own, root is nobody. */
  private static List<String> ordinaryUserPrefix() throws IOException {
    if (!System.getProperty("user.name").equals("root")) {
      return List.of();
    }
    String unshare =
        Guard.onPath("unshare")
            .orElseThrow(
                () ->
                    new IOException(
                        "PostgreSQL does not run as root, and there is no unshare (util-linux) to"
                            + " run it as somebody else: use another user"));
    return List.of(unshare, "--user");
  }
}
