package io.stoker.dispatcher.backup;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.dispatcher.backup.Reach.Partition;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReachTest {
  private static Position at(String topic, int partition, long offset) {
    return new Position("g", topic, partition, offset);
  }

  private static Partition has(String topic, int partition, long begin, long end) {
    return new Partition(at(topic, partition, 0), begin, end);
  }

  @Test
  void aTopicThatHasAllOfItReachesBack() {
    List<Position> stored = List.of(at("requests", 0, 5), at("requests", 1, 7));
    List<Partition> there = List.of(has("requests", 0, 5, 9), has("requests", 1, 0, 7));

    assertThat(Reach.lacking(stored, there)).isEmpty();
    assertThat(Reach.from(stored, there)).isEqualTo(stored);
  }

  @Test
  void whatIsDeletedOrWasNeverThereIsToldWithItsFigures() {
    List<Position> stored =
        List.of(at("requests", 0, 5), at("events", 1, 70), at("requests.lab", 0, 3));

    assertThat(Reach.lacking(stored, List.of(has("requests", 0, 6, 9), has("events", 1, 0, 69))))
        .containsExactly(
            "requests-0: backup at 5, topic has 6 to 9",
            "events-1: backup at 70, topic has 0 to 69",
            "requests.lab-0: backup at 3, and it is gone");
  }

  @Test
  void whatWasMadeSinceIsReadFromItsBeginning() {
    Partition since = has("requests.new", 2, 0, 4);
    assertThat(Reach.lacking(List.of(), List.of(since))).isEmpty();
    assertThat(Reach.from(List.of(), List.of(since))).containsExactly(at("requests.new", 2, 0));

    assertThat(Reach.lacking(List.of(), List.of(has("requests.new", 2, 1, 4))))
        .containsExactly("requests.new-2: made after the backup, topic has 1 to 4");
  }
}
