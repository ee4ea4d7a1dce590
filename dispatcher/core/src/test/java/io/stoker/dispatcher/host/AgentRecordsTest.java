package io.stoker.dispatcher.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.Parts;
import io.stoker.common.message.PlacementsRecord;
import io.stoker.common.message.ToAgent;
import io.stoker.common.message.ToAgent.Cancel;
import io.stoker.common.message.ToAgent.Part;
import io.stoker.common.size.Limits;
import io.stoker.common.size.SendLimits;
import io.stoker.dispatcher.host.AgentRecords.Written;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AgentRecordsTest {
  private final AgentRecords records = new AgentRecords(SendLimits.REAL);

  @Test
  void severalGoIntoOneRecordUpToItsLimit() {
    List<ToAgent> few = List.of(cancel(10), cancel(10), cancel(10));
    List<ToAgent> much = List.of(cancel(300_000), cancel(300_000), cancel(10));

    assertThat(records.of("h", 1, few)).hasSize(1);
    assertThat(records.of("h", 1, much)).hasSize(2);
    assertThat(heard(records.of("h", 1, much))).isEqualTo(much);
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 1})
  void oneThatNoRecordTakesGoesInParts(int more) {
    int around = records.of("h", 1, List.of(cancel(0))).getFirst().json().length;
    Cancel message = cancel(Limits.RECORD_VALUE - around + more);

    List<Written> written = records.of("h", 1, List.of(message));

    if (more > 0) {
      assertThat(written).hasSizeGreaterThan(1);
      assertThat(written)
          .allSatisfy(one -> assertThat(one.record().messages()).hasSize(1))
          .allSatisfy(one -> assertThat(one.record().messages().get(0)).isInstanceOf(Part.class));
    } else {
      assertThat(written).hasSize(1);
    }
    assertThat(heard(written)).containsExactly(message);
  }

  @Test
  void everyRecordFitsHoweverLargeTheMessages() {
    List<ToAgent> large = List.of(cancel(Limits.AGENT_MESSAGE - 1_000), cancel(5), cancel(900_000));

    List<Written> written = records.of("h", 1, large);

    assertThat(written)
        .allSatisfy(one -> assertThat(one.json().length).isLessThanOrEqualTo(Limits.RECORD_VALUE));
    assertThat(written)
        .allSatisfy(
            one ->
                assertThat(one.record().messages())
                    .filteredOn(Part.class::isInstance)
                    .allMatch(part -> Parts.plausible((Part) part)));
    assertThat(heard(written)).isEqualTo(large);
  }

  private static Cancel cancel(int size) {
    return new Cancel("job", 1, "x".repeat(size));
  }

  private static List<ToAgent> heard(List<Written> written) {
    Parts parts = new Parts();
    List<ToAgent> heard = new ArrayList<>();
    for (Written one : written) {
      try {
        PlacementsRecord read = Json.read(one.json(), PlacementsRecord.class);
        heard.addAll(parts.whole(read).messages());
      } catch (MalformedJson e) {
        throw new IllegalStateException(e);
      }
    }
    return heard;
  }
}
