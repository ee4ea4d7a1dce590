package io.stoker.dispatcher.service.backup;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.stoker.dispatcher.backup.Position;
import io.stoker.dispatcher.service.postgres.Schema;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Takes a backup while everything runs: one snapshot of the database, and where the topics stood
 * before it. Whoever reads the topics again from there misses nothing that is not in the snapshot,
 * and what he reads that is changes nothing.
 */
record Backup(Place place, Say say) {
  /** What was done. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Taken(
      String file, long bytes, String at, String schema, String fleet, int tables, long rows) {}

  /**
   * Takes one.
   *
   * @param file where it is to be
   * @param replace whether one that is there is replaced
   * @throws Refused if that cannot be
   */
  Taken take(Path file, boolean replace) throws IOException, SQLException {
    if (Files.isDirectory(file)) {
      throw new Refused("%s is a folder: name a file in it".formatted(file));
    }
    if (Files.exists(file) && !replace) {
      throw new Refused("%s is there already: give another name, or --force".formatted(file));
    }
    if (!Files.isDirectory(file.getParent())) {
      throw new Refused("%s is no folder".formatted(file.getParent()));
    }
    try (Brokers brokers = place.brokers();
        Sql sql = Sql.connect(place.database());
        BackupWriter writer = new BackupWriter(file)) {
      List<Position> consumed = brokers.committed(brokers.consumed());
      List<Position> statuses = brokers.committed(brokers.published());
      List<Position> ends = brokers.followed().stream().map(one -> one.at().at(one.end())).toList();
      // Not before: what is read from there on again is to be all that the snapshot lacks.
      sql.beginSnapshot(new TreeSet<>(checked(sql).tables()));
      Manifest manifest = copy(sql, brokers.cluster(), consumed, statuses, ends, writer);
      writer.finish(manifest);
      return new Taken(
          file.toString(),
          Files.size(file),
          Instant.ofEpochMilli(manifest.at()).toString(),
          manifest.schema(),
          manifest.fleet(),
          manifest.tables().size(),
          manifest.rows());
    }
  }

  private Manifest copy(
      Sql sql,
      String cluster,
      List<Position> consumed,
      List<Position> statuses,
      List<Position> ends,
      BackupWriter writer)
      throws SQLException, IOException {
    Schema schema = checked(sql); // as it was when they were locked, it may have been another one
    String at = sql.text("select cast(extract(epoch from clock_timestamp()) * 1000 as bigint)");
    List<String> names = List.copyOf(new TreeSet<>(schema.tables()));
    List<Manifest.Table> tables = new ArrayList<>();
    for (String name : names) {
      say.nowAndThen("table %d of %d: %s", tables.size() + 1, names.size(), name);
      tables.add(copy(sql, name, writer));
    }
    return new Manifest(
        Manifest.FORMAT,
        schema.version(),
        Long.parseLong(at),
        cluster,
        place.topics().prefix(),
        sql.column("select name from fleet").stream().findFirst().orElse(null),
        consumed,
        statuses,
        ends,
        tables);
  }

  /** The schema, which is this build's: of a later one it would not know all tables. */
  private static Schema checked(Sql sql) throws SQLException {
    Schema schema = Schema.ofThisBuild();
    List<String> found = sql.column(Schema.VERSIONS);
    schema
        .problem(Optional.of(found), sql.column(Schema.COLUMNS))
        .ifPresent(
            problem -> {
              throw new Refused(problem);
            });
    String newest = Schema.newest(found).orElse(schema.version());
    if (Schema.isLater(newest, schema.version())) {
      throw new Refused(
          "the database's schema is at version %s, and this build knows none later than %s: take the backup with the build that it is from"
              .formatted(newest, schema.version()));
    }
    return schema;
  }

  private Manifest.Table copy(Sql sql, String name, BackupWriter writer)
      throws SQLException, IOException {
    List<String> columns = sql.columns(name);
    try (Counted counted = writer.table(name)) {
      OutputStream told =
          new java.io.FilterOutputStream(counted) {
            @Override
            public void write(byte[] some, int from, int count) throws IOException {
              counted.write(some, from, count);
              say.nowAndThen("table %s: %,d bytes so far", name, counted.bytes());
            }
          };
      long rows = sql.copyOut(name, columns, told);
      return new Manifest.Table(name, columns, rows, counted.bytes(), counted.sha256());
    }
  }
}
