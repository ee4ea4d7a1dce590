package io.stoker.dispatcher.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoker.common.state.Successive;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** As docs/lifecycle.md has them, and what is told again of a state that stays. */
class SuccessorsTest {
  private static final Map<Object, Set<?>> SUCCESSORS =
      Map.of(
          HostRow.State.UP, Set.of(HostRow.State.UP, HostRow.State.LOST, HostRow.State.GONE),
          HostRow.State.LOST, Set.of(HostRow.State.UP, HostRow.State.LOST),
          HostRow.State.GONE, Set.of(HostRow.State.UP, HostRow.State.LOST, HostRow.State.GONE),
          AttemptRow.State.PLACED, Set.of((Object[]) AttemptRow.State.values()),
          AttemptRow.State.ACCEPTED, Set.of(AttemptRow.State.ACCEPTED, AttemptRow.State.RUNNING),
          AttemptRow.State.RUNNING, Set.of(AttemptRow.State.RUNNING));

  @ParameterizedTest
  @EnumSource(HostRow.State.class)
  void to_anyOtherOfAHost_isTheLegalOneOrIsRefusedWithBothNamed(HostRow.State from) {
    lead(from, HostRow.State.values());
  }

  @ParameterizedTest
  @EnumSource(AttemptRow.State.class)
  void to_anyOtherOfAnAttempt_isTheLegalOneOrIsRefusedWithBothNamed(AttemptRow.State from) {
    lead(from, AttemptRow.State.values());
  }

  private static <S extends Enum<S>> void lead(Successive<S> from, S[] all) {
    for (S next : all) {
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
