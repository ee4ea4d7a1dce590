package io.stoker.dispatcher.status;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.dispatcher.status.LastStatuses.Last;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LastStatusesTest {
  private static final long QUIET = LastStatuses.QUIET_MS;

  private final LastStatuses last = new LastStatuses();

  @Test
  void aStatusIsDueOnceNoneHasFollowedItForAWhile() {
    Last status = read("a", 5, 0, 10, 100);

    assertThat(last.due(100 + QUIET - 1, 9)).isEmpty();
    assertThat(last.due(100 + QUIET, 9)).containsExactly(status);
  }

  @Test
  void whatFollowsIsTheLastHoweverOldItsVersion() {
    read("a", 5, 0, 10, 100);
    Last older = read("a", 4, 0, 11, 900);

    assertThat(last.due(100 + QUIET, 9)).isEmpty();
    assertThat(last.due(900 + QUIET, 9)).containsExactly(older);
  }

  @Test
  void theOldestAreDueAtOnceWhereThereAreTooMany() {
    for (int i = 0; i < LastStatuses.MANY + 3; i++) {
      read("r" + i, 1, 0, i, 100);
    }

    assertThat(last.due(100, 9)).extracting(Last::request).containsExactly("r0", "r1", "r2");
    assertThat(last.due(100, 2)).extracting(Last::request).containsExactly("r0", "r1");
  }

  /** Whoever comes after a crash reads again what was not compared. */
  @Test
  void aPartitionIsReadFromTheFirstThatWasNotCompared() {
    Last first = read("a", 1, 0, 10, 100);
    Last second = read("b", 1, 0, 12, 100);
    read("c", 1, 1, 3, 100);

    assertThat(last.from()).containsEntry(0, 10L);
    last.compared(List.of(first));
    assertThat(last.from()).containsEntry(0, 12L);
    last.compared(List.of(second));
    assertThat(last.from()).isEqualTo(Map.of(1, 3L));
  }

  @Test
  void whatCameWhileThoseBeforeWereComparedIsStillToBe() {
    Last before = read("a", 1, 0, 10, 100);
    Last after = read("a", 2, 0, 11, 101);

    last.compared(List.of(before));

    assertThat(last.due(101 + QUIET, 9)).containsExactly(after);
  }

  private Last read(String request, long version, int partition, long offset, long now) {
    Last record = new Last(request, version, partition, offset, now);
    last.read(record);
    return record;
  }
}
