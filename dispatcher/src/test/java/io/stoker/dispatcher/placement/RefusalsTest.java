package io.stoker.dispatcher.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.dispatcher.attempt.AttemptReports.Refusal;
import io.stoker.dispatcher.placement.Refusals.News;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RefusalsTest {
  private final List<News> told = new ArrayList<>();
  private long now;
  private final Refusals refusals = new Refusals(told::add, () -> now);

  @Test
  void aHostThatRefusedAShapeIsNotAskedForItUntilItChanges() {
    refusals.refused(new Refusal("a", "big"));
    refusals.refused(new Refusal("b", "big"));

    assertThat(refusals.hosts("big")).containsExactlyInAnyOrder("a", "b");
    assertThat(refusals.hosts("small")).isEmpty();

    refusals.changed("a");
    assertThat(refusals.hosts("big")).containsExactly("b");
  }

  @Test
  void nothingIsHeldAgainstItForLong() {
    refusals.refused(new Refusal("a", "big"));
    now = Refusals.LONGEST.toNanos() - 1;
    refusals.refused(new Refusal("b", "big"));
    assertThat(refusals.hosts("big")).containsExactlyInAnyOrder("a", "b");

    now++;
    assertThat(refusals.hosts("big")).containsExactly("b");
  }

  @Test
  void otherReplicasAreToldWhatIsNewToThisOneAlone() {
    refusals.changed("a");
    refusals.refused(new Refusal("a", "big"));
    refusals.changed("a");
    refusals.changed("a");

    assertThat(told).containsExactly(new News("a", "big"), new News("a", null));
  }

  @Test
  void whatAnotherReplicaTellsIsNotToldAgain() {
    refusals.heard(new News("a", "big"));
    assertThat(refusals.hosts("big")).containsExactly("a");
    refusals.heard(new News("a", null));
    assertThat(refusals.hosts("big")).isEmpty();
    assertThat(told).isEmpty();
  }
}
