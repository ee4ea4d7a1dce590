package io.stoker.common.topic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReplicationTest {
  @ParameterizedTest
  @CsvSource({"0, 1", "1, 1", "2, 2", "3, 3", "9, 3"})
  void asManyAsThereAreBrokersUpToThree(int brokers, int factor) {
    assertThat(Replication.DEFAULT.factor(brokers)).isEqualTo((short) factor);
  }

  @Test
  void whatIsSaidCounts() {
    Replication said = new Replication(OptionalInt.of(5), OptionalInt.of(2));

    assertThat(said.factor(3)).isEqualTo((short) 5);
    assertThat(said.settings(Map.of("retention.ms", "1")))
        .isEqualTo(Map.of("retention.ms", "1", "min.insync.replicas", "2"));
    assertThat(Replication.DEFAULT.settings(Map.of("retention.ms", "1")))
        .isEqualTo(Map.of("retention.ms", "1"));
  }

  @Test
  void moreCopiesInStepThanABrokerHasAreRefused() {
    Replication said = new Replication(OptionalInt.empty(), OptionalInt.of(2));

    assertThat(said.factor(2)).isEqualTo((short) 2);
    assertThatThrownBy(() -> said.factor(1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("min-insync-replicas is 2, expected 1 to 1");
  }

  @ParameterizedTest
  @CsvSource({
    "0, 1, 'replication-factor is 0, expected 1 to 32767'",
    "2, 3, 'min-insync-replicas is 3, expected 1 to 2'",
    "2, 0, 'min-insync-replicas is 0, expected 1 to 2'"
  })
  void whatCannotBeIsRefused(int factor, int minInsync, String why) {
    assertThatThrownBy(() -> new Replication(OptionalInt.of(factor), OptionalInt.of(minInsync)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(why);
  }
}
