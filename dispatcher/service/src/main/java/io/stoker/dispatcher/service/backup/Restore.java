package io.stoker.dispatcher.service.backup;

import io.stoker.dispatcher.backup.Position;
import io.stoker.dispatcher.backup.Reach;
import io.stoker.dispatcher.backup.Reach.Partition;
import io.stoker.dispatcher.host.HostKeyBook;
import io.stoker.dispatcher.service.config.HostKeys;
import io.stoker.dispatcher.service.postgres.Schema;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.kafka.common.errors.GroupNotEmptyException;
import org.apache.kafka.common.errors.UnknownMemberIdException;

/**
 * Puts a backup back: the database as it was, with numbers above all that were given since, and the
 * consumer groups where they stood. The groups are moved before the database is there: whoever dies
 * in between has changed nothing that the next restore does not do again.
 */
record Restore(Place place, HostKeys keys, HostKeyBook book, Say say) {
  /** A dispatcher that was killed is a member for so long. */
  private static final Duration MEMBERSHIP = Duration.ofSeconds(10);

  private static final long LOOK_MS = 500;

  /**
   * What was done.
   *
   * @param again records that are read again
   * @param hosts that are to be settled before anything is placed
   */
  record Done(
      String file,
      String backupAt,
      String schema,
      int tables,
      long rows,
      long again,
      List<String> hosts) {}

  /**
   * Does it.
   *
   * @param replace whether what is in the database now may be lost
   * @throws Refused if it cannot be done
   */
  Done restore(Path file, boolean replace) throws IOException, SQLException, InterruptedException {
    try (BackupReader backup = new BackupReader(file)) {
      Manifest manifest = backup.manifest();
      for (Manifest.Table table : manifest.tables()) {
        say.nowAndThen("checking the file: table %s", table.name());
        backup.check(table);
      }
      try (Brokers brokers = place.brokers();
          TopicReader topics = new TopicReader(place.kafka());
          Sql sql = Sql.connect(place.database())) {
        Log log = checked(manifest, brokers);
        Staging staging = new Staging(sql);
        refuseLater(staging);
        refuseOccupied(staging, replace);
        staging.claim();
        try {
          fill(backup, staging);
          return put(file, manifest, log, brokers, topics, sql, staging);
        } catch (IOException | SQLException | RuntimeException e) {
          staging.giveUp(e);
          throw e;
        }
      }
    }
  }

  /**
   * The topics as they are.
   *
   * @param from where the groups are to go on
   */
  private record Log(List<Partition> consumed, List<Partition> followed, List<Position> from) {
    long again() {
      long ends = consumed.stream().mapToLong(Partition::end).sum();
      return ends - from.stream().mapToLong(Position::offset).sum();
    }
  }

  private Log checked(Manifest manifest, Brokers brokers) throws InterruptedException {
    String prefix = place.topics().prefix();
    if (!prefix.equals(manifest.prefix())) {
      throw new Refused(
          "the backup is of topics %s*, and stoker.topics.prefix is %s"
              .formatted(manifest.prefix(), prefix));
    }
    String cluster = brokers.cluster();
    if (!cluster.equals(manifest.cluster())) {
      throw new Refused(
          "the backup is of Kafka cluster %s, and this is %s: its offsets mean nothing there"
              .formatted(manifest.cluster(), cluster));
    }
    refuseOtherGroup(manifest);
    awaitNobody(brokers);
    List<Partition> consumed = brokers.consumed();
    List<Partition> followed = brokers.followed();
    refuseLacking(manifest, consumed, followed);
    return new Log(consumed, followed, Reach.from(manifest.consumed(), consumed));
  }

  private static void refuseLacking(
      Manifest manifest, List<Partition> consumed, List<Partition> followed) {
    List<String> lacking =
        Stream.concat(
                Reach.lacking(manifest.consumed(), consumed).stream(),
                Reach.lacking(manifest.ends(), followed).stream())
            .toList();
    if (!lacking.isEmpty()) {
      throw new Refused(
          "the topics do not have all that came after the backup:\n  "
              + String.join("\n  ", lacking));
    }
  }

  /** Neither would its dispatchers be seen, nor would they read again. */
  private void refuseOtherGroup(Manifest manifest) {
    manifest.consumed().stream()
        .filter(one -> one.topic().equals(place.topics().requests()))
        .map(Position::group)
        .filter(group -> !place.group().equals(group))
        .findFirst()
        .ifPresent(
            group -> {
              throw new Refused(
                  "the backup is of dispatchers of group %s, and stoker.group is %s: set it as they have it"
                      .formatted(group, place.group()));
            });
  }

  private void awaitNobody(Brokers brokers) throws InterruptedException {
    long until = System.nanoTime() + MEMBERSHIP.toNanos();
    List<String> members = brokers.members();
    while (!members.isEmpty() && System.nanoTime() < until) {
      say.nowAndThen("waiting for %s to end", members.getFirst());
      Thread.sleep(LOOK_MS);
      members = brokers.members();
    }
    if (!members.isEmpty()) {
      throw new Refused(
          "dispatchers are running, stop them all first:\n  " + String.join("\n  ", members));
    }
  }

  /** Tables that this build does not know would stay, and be in the way of the next migration. */
  private static void refuseLater(Staging staging) throws SQLException {
    String newest = Schema.ofThisBuild().version();
    Optional<String> found = staging.version().filter(one -> Schema.isLater(one, newest));
    if (found.isPresent()) {
      throw new Refused(
          "the database's schema is at version %s, and this build knows none later than %s: use the build that it is from, or another database"
              .formatted(found.get(), newest));
    }
  }

  private static void refuseOccupied(Staging staging, boolean replace) throws SQLException {
    List<String> occupied = staging.occupied();
    if (!occupied.isEmpty() && !replace) {
      throw new Refused(
          "the database is not empty, there are rows in %s: give --force to lose them"
              .formatted(String.join(", ", occupied)));
    }
  }

  private void fill(BackupReader backup, Staging staging) throws SQLException, IOException {
    Manifest manifest = backup.manifest();
    staging.make(manifest.schema());
    int n = 0;
    for (Manifest.Table table : manifest.tables()) {
      n++;
      say.nowAndThen(
          "table %d of %d: %s, %,d rows", n, manifest.tables().size(), table.name(), table.rows());
      try (InputStream rows = backup.rows(table)) {
        staging.fill(table, rows);
      }
    }
    staging.migrate();
  }

  private Done put(
      Path file,
      Manifest manifest,
      Log log,
      Brokers brokers,
      TopicReader topics,
      Sql sql,
      Staging staging)
      throws SQLException {
    staging.begin();
    FixUps.begin(sql);
    new SaidSince(place, say, topics, Reach.from(manifest.ends(), log.followed()), log.followed())
        .note(sql, keys, book, manifest.at());
    FixUps.apply(sql, manifest.at(), replay(log, topics));
    List<String> hosts = sql.column("select id from host where restored is not null order by id");
    staging.takePlace();
    // It took its time, and the topics may have come to the end of theirs meanwhile.
    refuseLacking(manifest, brokers.consumed(), brokers.followed());
    rewind(brokers, log.from());
    if (manifest.statuses() != null) {
      rewind(brokers, Reach.from(manifest.statuses(), brokers.published()));
    }
    sql.commit();
    staging.analyze();
    return new Done(
        file.toString(),
        Instant.ofEpochMilli(manifest.at()).toString(),
        manifest.schema(),
        manifest.tables().size(),
        manifest.rows(),
        log.again(),
        hosts);
  }

  private static void rewind(Brokers brokers, List<Position> to) {
    try {
      brokers.rewind(to);
    } catch (GroupNotEmptyException | UnknownMemberIdException e) {
      throw new Refused("a dispatcher was started meanwhile: stop it, and try again");
    }
  }

  private List<Position> replay(Log log, TopicReader topics) {
    List<Position> ends = new ArrayList<>();
    for (Position from : log.from()) {
      Partition there =
          log.consumed().stream().filter(one -> one.at().isIn(from)).findFirst().orElseThrow();
      Position end = topics.behindLast(from, there);
      if (end.offset() > from.offset()) {
        ends.add(end);
      }
    }
    return ends;
  }
}
