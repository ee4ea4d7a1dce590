package io.stoker.dispatcher.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.dispatcher.attempt.AttemptReports.Refusal;
import io.stoker.dispatcher.lease.Refusals.News;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RefusalsTest {
  private final List<News> told = new ArrayList<>();
  private final List<Long> wakes = new ArrayList<>();
  private long now;
  private final Refusals refusals = new Refusals(told::add, wakes::add, () -> now);

  @Test
  void aHostThatRefusedAShapeIsNotAskedForItUntilItChanges() {
    refusals.refused(new Refusal("a", "big", null));
    refusals.refused(new Refusal("b", "big", null));

    assertThat(refusals.hosts("big")).containsExactlyInAnyOrder("a", "b");
    assertThat(refusals.hosts("small")).isEmpty();

    refusals.changed("a");
    assertThat(refusals.hosts("big")).containsExactly("b");
  }

  @Test
  void nothingIsHeldAgainstItForLong() {
    refusals.refused(new Refusal("a", "big", null));
    now = Refusals.LONGEST.toNanos() - 1;
    refusals.refused(new Refusal("b", "big", null));
    assertThat(refusals.hosts("big")).containsExactlyInAnyOrder("a", "b");

    now++;
    assertThat(refusals.hosts("big")).containsExactly("b");
  }

  @Test
  void aHostThatSaysWhen_isAskedAgainThen() {
    refusals.refused(new Refusal("a", "big", 5_000L));
    refusals.refused(new Refusal("b", "big", null));

    assertThat(wakes).containsExactly(5_000L);
    now = 5_000_000_000L - 1;
    assertThat(refusals.hosts("big")).containsExactlyInAnyOrder("a", "b");
    now++;
    assertThat(refusals.hosts("big")).containsExactly("b");
  }

  @Test
  void noHostIsLeftOutForLongerThanTheLongest() {
    refusals.refused(new Refusal("a", "big", Long.MAX_VALUE));
    refusals.refused(new Refusal("b", "big", -7L));

    assertThat(refusals.hosts("big")).containsExactly("a");
    now = Refusals.LONGEST.toNanos();
    assertThat(refusals.hosts("big")).isEmpty();
  }

  @Test
  void otherReplicasAreToldWhatIsNewToThisOneAlone() {
    refusals.changed("a");
    refusals.refused(new Refusal("a", "big", null));
    refusals.changed("a");
    refusals.changed("a");

    assertThat(told)
        .containsExactly(new News("a", "big", Refusals.LONGEST.toMillis()), new News("a", null, 0));
  }

  @Test
  void whatAnotherReplicaTellsIsNotToldAgain() {
    refusals.heard(new News("a", "big", 1_000));
    assertThat(refusals.hosts("big")).containsExactly("a");
    refusals.heard(new News("a", null, 0));
    assertThat(refusals.hosts("big")).isEmpty();
    assertThat(told).isEmpty();
  }
}
