package io.stoker.dispatcher.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.dispatcher.placement.FleetMemory.Known;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FleetMemoryTest {
  private static final long EPOCH = 7;

  private final FleetMemory memory = new FleetMemory();

  @BeforeEach
  void aPassHasReadIt() {
    memory.learn(read(memory.begin()));
  }

  private static Known read(long pass) {
    return new Known(pass, EPOCH, 0, List.of(), Map.of(), List.of(), true, List.of());
  }

  @Test
  void aPassWaitsForOneWithinAnotherTransactionAndComesNext() {
    long joined = memory.join(EPOCH).orElseThrow();

    assertThat(memory.await()).isTrue();
    assertThat(memory.takeAwaited()).as("it is not over").isFalse();
    memory.learn(read(joined));
    assertThat(memory.join(EPOCH)).as("another one, before who waits").isEmpty();

    assertThat(memory.takeAwaited()).isTrue();
    assertThat(memory.takeAwaited()).as("told once").isFalse();
    assertThat(memory.known(memory.begin())).as("nothing was forgotten").isPresent();
  }

  @Test
  void whoWaitsIsToldTooWhereTheOtherHasFailed() {
    memory.join(EPOCH);
    assertThat(memory.await()).isTrue();

    memory.forget();

    assertThat(memory.takeAwaited()).isTrue();
  }

  @Test
  void nobodyWaitsWhereNobodyPlaces() {
    assertThat(memory.await()).isFalse();
    assertThat(memory.takeAwaited()).isFalse();
    assertThat(memory.join(EPOCH)).isNotEqualTo(OptionalLong.empty());
  }

  @Test
  void whoBeginsAllTheSameMakesBothReadAnew() {
    long joined = memory.join(EPOCH).orElseThrow();
    memory.await();

    long begun = memory.begin();

    assertThat(memory.known(joined)).isEmpty();
    assertThat(memory.known(begun)).isEmpty();
  }

  @Test
  void whatAnotherReplicaChangedIsToBeReadAnewOnce() {
    assertThat(memory.isOutdated()).isFalse();

    memory.changedElsewhere();
    assertThat(memory.isOutdated()).isTrue();

    assertThat(memory.readAnew()).as("so that who gives up can say it again").isTrue();
    assertThat(memory.isOutdated()).isFalse();
    assertThat(memory.readAnew()).isFalse();
  }
}
