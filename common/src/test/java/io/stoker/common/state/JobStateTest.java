package io.stoker.common.state;

import static io.stoker.common.state.JobState.CANCELLED;
import static io.stoker.common.state.JobState.FAILED;
import static io.stoker.common.state.JobState.PLACED;
import static io.stoker.common.state.JobState.QUEUED;
import static io.stoker.common.state.JobState.RUNNING;
import static io.stoker.common.state.JobState.SUCCEEDED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class JobStateTest {
  /** As docs/lifecycle.md draws them, and what is told of a state that stays. */
  private static final Map<JobState, Set<JobState>> SUCCESSORS =
      Map.of(
          QUEUED, Set.of(QUEUED, PLACED, SUCCEEDED, FAILED, CANCELLED),
          PLACED, Set.of(QUEUED, RUNNING, SUCCEEDED, FAILED, CANCELLED),
          RUNNING, Set.of(QUEUED, RUNNING, SUCCEEDED, FAILED, CANCELLED),
          SUCCEEDED, Set.of(),
          FAILED, Set.of(),
          CANCELLED, Set.of());

  @ParameterizedTest
  @EnumSource(JobState.class)
  void to_anyOther_isTheLegalOneOrIsRefusedWithBothNamed(JobState from) {
    for (JobState next : JobState.values()) {
      if (SUCCESSORS.get(from).contains(next)) {
        assertThat(from.to(next)).isEqualTo(next);
      } else {
        assertThatThrownBy(() -> from.to(next))
            .isInstanceOf(IllegalStateException.class)
            .hasMessage("%s is never followed by %s", from, next);
      }
    }
  }
}
