package io.stoker.agent.loop;

import static io.stoker.common.fixture.APlace.aPlace;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.message.PlacementsRecord;
import io.stoker.common.message.ToAgent;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlacementsRecordCheckTest {
  @ParameterizedTest
  @ValueSource(
      strings = {"../../etc/x", "/etc", "a/b", "..", ".x", "a b", "a\nr b", "a\0", "a\tb", ""})
  void problem_ofAJobThatIsNoName_isThere(String job) {
    for (ToAgent message :
        List.of(
            aPlace(job).build(),
            new ToAgent.Cancel(job, 1, "why"),
            new ToAgent.Forget(job, 1),
            new ToAgent.Report(job, 1))) {
      assertThat(PlacementsRecordCheck.problem(List.of(message))).as("%s", message).isPresent();
    }
  }

  @Test
  void problem_ofAJobAsDispatchersNameThem_isNone() {
    ToAgent place = aPlace("01JDJ5Q8ZV7T3K6N2W9XABCDEF").token("dA==").build();

    assertThat(PlacementsRecordCheck.problem(new PlacementsRecord("h", 1, List.of(place)), "h"))
        .isEmpty();
  }
}
