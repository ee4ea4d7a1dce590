package io.stoker.dispatcher.service.backup;

import io.stoker.dispatcher.backup.Position;
import java.util.List;

/**
 * The description of a backup, in its file.
 *
 * @param format of the file
 * @param schema version of the database's schema
 * @param at when it was taken, by the database's clock, ms since 1970
 * @param cluster id of the Kafka cluster
 * @param prefix of the topics
 * @param fleet of the database; null if it never had one
 * @param consumed where the consumer groups stood before the database was read: whatever is before
 *     is in the backup
 * @param statuses where who compares what was published last stood: what it owed for what is before
 *     is in the backup. Null in files of builds that did not note it
 * @param ends where the topics that no group reads ended before the database was read
 */
public record Manifest(
    int format,
    String schema,
    long at,
    String cluster,
    String prefix,
    String fleet,
    List<Position> consumed,
    List<Position> statuses,
    List<Position> ends,
    List<Table> tables) {
  /** Of files that this build writes, and the newest that it reads. */
  static final int FORMAT = 1;

  /**
   * What is in one table.
   *
   * @param columns in the order in which they are in each row
   * @param bytes of its rows, as Postgres's COPY gives them as text
   * @param sha256 of these, hexadecimal
   */
  public record Table(String name, List<String> columns, long rows, long bytes, String sha256) {}

  long rows() {
    return tables.stream().mapToLong(Table::rows).sum();
  }
}
