package io.stoker.agent.loop;

import static io.stoker.common.fixture.APlace.aPlace;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.json.Json;
import io.stoker.common.message.PlacementsRecord;
import io.stoker.common.message.ToAgent;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
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

  /** A decision on it would fail, and the agent with it: after each start again. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "'gpus':-1",
        "'gpus':1,'gpuMemory':-1",
        "'cpuSlots':-1",
        "'memory':-1",
        "'runner':'ssh','nodeGpus':-1",
        "'command':['a',null]",
        "'env':{'A':null}",
        "'secrets':{'A':null}",
        "'gpus':1,'avoid':[null]",
        "'dependencies':[null]"
      })
  void problem_ofAPlacementThatNoDecisionCanBeMadeOn_isThere(String fields) throws Exception {
    assertThat(problem("'type':'place','job':'j','attempt':1,'token':'dA=='," + fields))
        .isPresent();
  }

  @ParameterizedTest
  @ValueSource(strings = {"'command':[null]", "'env':{'A':null}", "'secrets':{'A':null}"})
  void problem_ofAPoolWithNullInIt_isThere(String fields) throws Exception {
    String pool = "{'name':'p','kind':'k','max':1,'output':1," + fields + "}";

    assertThat(problem("'type':'setPools','generation':1,'pools':[" + pool + "]")).isPresent();
  }

  private static Optional<String> problem(String message) throws Exception {
    String record = "{'v':1,'host':'h','epoch':1,'messages':[{" + message + "}]}";
    byte[] json = record.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
    return PlacementsRecordCheck.problem(Json.read(json, PlacementsRecord.class), "h");
  }

  @Test
  void problem_ofAJobAsDispatchersNameThem_isNone() {
    ToAgent place = aPlace("01JDJ5Q8ZV7T3K6N2W9XABCDEF").token("dA==").build();

    assertThat(PlacementsRecordCheck.problem(new PlacementsRecord("h", 1, List.of(place)), "h"))
        .isEmpty();
  }
}
