package io.stoker.common.size;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.request.RequestParser;
import io.stoker.common.topic.Topics;
import org.junit.jupiter.api.Test;

/** The sums hold together: what one limit lets through, the next takes. */
class LimitsTest {
  /** Most bytes of a character of Java's in UTF-8: one of two makes four. */
  private static final int UTF8 = 3;

  /** Everything of a status or placement but what has a limit of its own. */
  private static final int REST = 64 << 10;

  @Test
  void aStatusWithTheLargestResultIsARecord() {
    assertThat(UTF8 * Limits.RESULT_CHARACTERS + UTF8 * Limits.SENTENCE_CHARACTERS + REST)
        .isLessThanOrEqualTo(Limits.RECORD_VALUE);
  }

  @Test
  void aPlacementWithTheLargestRequestAndInputsCanBeTold() {
    assertThat(Limits.REQUEST + Limits.INPUTS + REST).isLessThanOrEqualTo(Limits.AGENT_MESSAGE);
  }

  @Test
  void aRecordHoldsASharedRecordAndTheLargestPart() {
    assertThat(Limits.SHARED_RECORD).isLessThanOrEqualTo(Limits.RECORD_VALUE);
    assertThat(Limits.RECORD_VALUE).isLessThan(Limits.RECORD);
  }

  @Test
  void whatIsTooLargeComesAsFarAsItsRefusal() {
    assertThat(RequestParser.MAX_BYTES).isEqualTo(Limits.REQUEST);
    assertThat(Limits.REQUEST).isLessThan(Limits.OVERSIZE_RECORD);
    assertThat(new Topics("t.").layouts().getFirst().settings())
        .containsEntry("max.message.bytes", String.valueOf(Limits.OVERSIZE_RECORD));
  }

  @Test
  void oneOfEachFitsIntoABatch() {
    assertThat(UTF8 * Limits.RESULT_CHARACTERS).isLessThan(Limits.AT_ONCE);
    assertThat(Limits.REQUEST).isLessThan(Limits.AT_ONCE);
  }
}
