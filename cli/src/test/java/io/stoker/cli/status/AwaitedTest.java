package io.stoker.cli.status;

import static io.stoker.common.state.RequestState.FAILED;
import static io.stoker.common.state.RequestState.QUEUED;
import static io.stoker.common.state.RequestState.REJECTED;
import static io.stoker.common.state.RequestState.RUNNING;
import static io.stoker.common.state.RequestState.SUCCEEDED;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.cli.outcome.ExitCode;
import io.stoker.cli.testing.AStatus;
import io.stoker.common.message.RequestStatus;
import java.util.List;
import org.junit.jupiter.api.Test;

class AwaitedTest {
  @Test
  void isOverWhenAllHaveEnded() {
    Awaited awaited = Awaited.ids(List.of("a", "b"));

    assertThat(awaited.apply(AStatus.of("a", RUNNING, 1).build())).isEmpty();
    RequestStatus end = AStatus.of("a", SUCCEEDED, 2).build();
    assertThat(awaited.apply(end)).contains(end);
    assertThat(awaited.isOver()).isFalse();
    assertThat(awaited.open()).containsExactly("b");
    assertThat(awaited.exitCode()).isEqualTo(ExitCode.FAILED);

    awaited.apply(AStatus.of("b", SUCCEEDED, 1).build());
    assertThat(awaited.isOver()).isTrue();
    assertThat(awaited.exitCode()).isEqualTo(ExitCode.DONE);
  }

  @Test
  void oneThatFailedDecidesTheExitCode() {
    Awaited awaited = Awaited.ids(List.of("a", "b"));
    awaited.apply(AStatus.of("a", SUCCEEDED, 1).build());
    awaited.apply(AStatus.of("b", FAILED, 1).build());

    assertThat(awaited.exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(awaited.summary()).isEqualTo("2 of 2 ended, 1 not SUCCEEDED");
  }

  @Test
  void whatIsNotNewerChangesNothing() {
    Awaited awaited = Awaited.ids(List.of("a"));
    awaited.apply(AStatus.of("a", QUEUED, 5).build());

    assertThat(awaited.apply(AStatus.of("a", SUCCEEDED, 5).build())).isEmpty();
    assertThat(awaited.isOver()).isFalse();
  }

  @Test
  void anEndCountsOnce() {
    Awaited awaited = Awaited.ids(List.of("a"));
    awaited.apply(AStatus.of("a", SUCCEEDED, 1).build());

    assertThat(awaited.apply(AStatus.of("a", SUCCEEDED, 2).build())).isEmpty();
  }

  @Test
  void othersDoNotCount() {
    Awaited awaited = Awaited.ids(List.of("a"));

    assertThat(awaited.apply(AStatus.of("b", FAILED, 1).build())).isEmpty();
    assertThat(awaited.isOver()).isFalse();
  }

  @Test
  void aRefusalEndsWhatIsOpenWhateverItsVersion() {
    Awaited awaited = Awaited.ids(List.of("a"));
    awaited.apply(AStatus.of("a", QUEUED, 7).build());

    assertThat(awaited.apply(AStatus.of("a", REJECTED, 0).build())).isPresent();
    assertThat(awaited.exitCode()).isEqualTo(ExitCode.FAILED);
  }

  @Test
  void aGroupGrowsWhileOneWaits() {
    Awaited awaited = Awaited.group("g");
    awaited.apply(AStatus.of("a", RUNNING, 1).with("group", "g").build());
    awaited.apply(AStatus.of("b", QUEUED, 1).with("group", "g").build());
    awaited.apply(AStatus.of("c", QUEUED, 1).with("group", "other").build());

    assertThat(awaited.open()).containsExactlyInAnyOrder("a", "b");
  }
}
