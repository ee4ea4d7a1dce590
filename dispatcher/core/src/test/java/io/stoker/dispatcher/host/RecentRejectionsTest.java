package io.stoker.dispatcher.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.dispatcher.attempt.AttemptReports.Refusal;
import io.stoker.dispatcher.host.RecentRejections.News;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RecentRejectionsTest {
  private final List<News> told = new ArrayList<>();
  private final List<Long> wakes = new ArrayList<>();
  private long now;
  private final RecentRejections rejections =
      new RecentRejections(told::add, wakes::add, () -> now);

  @Test
  void aHostThatRefusedAShapeIsNotAskedForItUntilItChanges() {
    rejections.refused(new Refusal("a", "big", null));
    rejections.refused(new Refusal("b", "big", null));

    assertThat(rejections.hosts("big")).containsExactlyInAnyOrder("a", "b");
    assertThat(rejections.hosts("small")).isEmpty();

    rejections.changed("a");
    assertThat(rejections.hosts("big")).containsExactly("b");
  }

  @Test
  void nothingIsHeldAgainstItForLong() {
    rejections.refused(new Refusal("a", "big", null));
    now = RecentRejections.LONGEST.toNanos() - 1;
    rejections.refused(new Refusal("b", "big", null));
    assertThat(rejections.hosts("big")).containsExactlyInAnyOrder("a", "b");

    now++;
    assertThat(rejections.hosts("big")).containsExactly("b");
  }

  @Test
  void aHostThatSaysWhen_isAskedAgainThen() {
    rejections.refused(new Refusal("a", "big", 5_000L));
    rejections.refused(new Refusal("b", "big", null));

    assertThat(wakes).containsExactly(5_000L);
    now = 5_000_000_000L - 1;
    assertThat(rejections.hosts("big")).containsExactlyInAnyOrder("a", "b");
    now++;
    assertThat(rejections.hosts("big")).containsExactly("b");
  }

  @Test
  void noHostIsLeftOutForLongerThanTheLongest() {
    rejections.refused(new Refusal("a", "big", Long.MAX_VALUE));
    rejections.refused(new Refusal("b", "big", -7L));

    assertThat(rejections.hosts("big")).containsExactly("a");
    now = RecentRejections.LONGEST.toNanos();
    assertThat(rejections.hosts("big")).isEmpty();
  }

  @Test
  void otherReplicasAreToldWhatIsNewToThisOneAlone() {
    rejections.changed("a");
    rejections.refused(new Refusal("a", "big", null));
    rejections.changed("a");
    rejections.changed("a");

    assertThat(told)
        .containsExactly(
            new News("a", "big", RecentRejections.LONGEST.toMillis()), new News("a", null, 0));
  }

  @Test
  void whatAnotherReplicaTellsIsNotToldAgain() {
    rejections.heard(new News("a", "big", 1_000));
    assertThat(rejections.hosts("big")).containsExactly("a");
    rejections.heard(new News("a", null, 0));
    assertThat(rejections.hosts("big")).isEmpty();
    assertThat(told).isEmpty();
  }
}
