package io.stoker.dispatcher.backup;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Tells whether topics still hold what came after a backup, and from which offsets to read it. */
public final class Reach {
  private Reach() {}

  /**
   * A partition as it is.
   *
   * @param at where it is read by its group, with that group; null group where none reads it
   * @param begin offset of the first record that it still has
   * @param end offset of the next record
   */
  public record Partition(Position at, long begin, long end) {
    private boolean lacks(long offset) {
      return offset < begin || offset > end;
    }
  }

  /**
   * Sentences about what is not there any more; none if all is.
   *
   * @param stored positions of the backup
   * @param there the partitions that there are
   */
  public static List<String> lacking(List<Position> stored, List<Partition> there) {
    List<String> lacking = new ArrayList<>();
    for (Position position : stored) {
      Optional<Partition> partition =
          there.stream().filter(one -> one.at().isIn(position)).findFirst();
      if (partition.isEmpty()) {
        lacking.add(
            "%s: backup at %d, and it is gone".formatted(position.name(), position.offset()));
      } else if (partition.get().lacks(position.offset())) {
        lacking.add(figures(partition.get(), "backup at " + position.offset()));
      }
    }
    there.stream()
        .filter(one -> stored.stream().noneMatch(one.at()::isIn) && one.lacks(0))
        .map(one -> figures(one, "made after the backup"))
        .forEach(lacking::add);
    return lacking;
  }

  private static String figures(Partition partition, String stored) {
    return "%s: %s, topic has %d to %d"
        .formatted(partition.at().name(), stored, partition.begin(), partition.end());
  }

  /** Where each partition is to be read from: what is new since the backup from its beginning. */
  public static List<Position> from(List<Position> stored, List<Partition> there) {
    return there.stream()
        .map(
            one ->
                one.at()
                    .at(
                        stored.stream()
                            .filter(one.at()::isIn)
                            .map(Position::offset)
                            .findFirst()
                            .orElse(0L)))
        .toList();
  }
}
