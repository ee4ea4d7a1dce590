package io.stoker.dispatcher.intake;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoker.common.message.Experiment;
import io.stoker.common.message.GroupEstimates;
import io.stoker.common.request.JobRequest;
import io.stoker.common.request.Resources;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.experiment.ExperimentRow;
import io.stoker.dispatcher.experiment.ExperimentRow.State;
import io.stoker.dispatcher.experiment.Plan;
import io.stoker.dispatcher.experiment.PlanRefused;
import io.stoker.dispatcher.fairshare.QueueSettings;
import io.stoker.dispatcher.fairshare.Queues;
import io.stoker.dispatcher.model.StoredRequest;
import io.stoker.dispatcher.scenario.ARequest;
import io.stoker.dispatcher.scenario.Scene;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GroupAdmissionTest {
  private final Scene scene = new Scene();

  @Test
  void whatArrivesInAStoppedGroupIsEndedAtOnceAndFinal() throws PlanRefused {
    GroupAdmission admission = door(State.STOPPED);

    scene.post(
        admission,
        aRequest("late").with("group", "exp"),
        aRequest("other").with("group", "another"));
    scene.post(admission, aRequest("after").with("group", "exp").dependsOn("other"));

    for (String id : List.of("late", "after")) {
      assertThat(scene.state(id)).isEqualTo(RequestState.CANCELLED);
      assertThat(scene.status(id).code()).isEqualTo(Code.CANCELLED);
      assertThat(scene.status(id).reason()).isEqualTo("group exp is STOPPED: stopped on request");
    }
    assertThat(scene.state("other")).isEqualTo(RequestState.QUEUED);
    assertThat(scene.store().ready()).hasSize(1);
    assertThat(scene.store().group("exp").cancelled()).isEqualTo(2);
  }

  @Test
  void aGroupsLabelsAreThoseOfRequestsWithoutTheirOwn() throws PlanRefused {
    scene.post(
        door(State.RUNNING),
        aRequest("plain").with("group", "exp"),
        aRequest("own").with("group", "exp").list("resultLabels", "loss"),
        aRequest("outside"));

    assertThat(labels("plain")).containsExactly("accuracy", "f1");
    assertThat(labels("own")).containsExactly("loss");
    assertThat(labels("outside")).isEmpty();
    assertThat(scene.job("plain").asked().policy().numbers()).isEqualTo(3);
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        // staged, its own memory, its own GPU memory; what counts of both, in GiB
        "true, -, -, 4, 6",
        "true, 1, -, 1, 6",
        "true, -, 2, 4, 2",
        "false, -, -, -, -",
      })
  void aGroupsEstimatesAreThoseOfStagedRequestsWithoutTheirOwn(
      boolean staged, Long memory, Long gpuMemory, Long thenMemory, Long thenGpuMemory)
      throws PlanRefused {
    ARequest request = aRequest("a").with("group", "exp").gpus(1);
    if (memory != null) {
      request.resource("memory", memory + "GiB");
    }
    if (gpuMemory != null) {
      request.resource("gpuMemory", gpuMemory + "GiB");
    }
    Plan plan = Plan.plain(null).expecting(new GroupEstimates("4GiB", "6GiB"));

    scene.post(
        new GroupAdmission(
            List.of(new ExperimentRow("exp", plan, State.RUNNING, null, 1, null, null, null))),
        staged ? request.list("stages", "load", "train") : request);

    Resources asked = StoredRequest.parse(scene.store().request("a")).resources();
    assertThat(asked.memory()).isEqualTo(bytes(thenMemory));
    assertThat(asked.gpuMemory()).isEqualTo(bytes(thenGpuMemory));
  }

  @Test
  void request_ofAQueueThatIsKeptApartFromItsGroups_isRefused() {
    Queues queues =
        new Queues(
            List.of(
                new QueueSettings(
                    "vault",
                    1,
                    OptionalInt.empty(),
                    OptionalInt.empty(),
                    true,
                    Optional.empty(),
                    true,
                    QueueSettings.AGING),
                QueueSettings.plain("open")));
    GroupAdmission admission =
        new GroupAdmission(List.of(), Map.of("theirs", "vault", "ours", "open"));

    assertThat(admission.whyApart(request("open", "theirs"), queues))
        .hasValue("group: theirs, expected a group of requests that share with queue open");
    assertThat(admission.whyApart(request("vault", "ours"), queues)).isPresent();
    assertThat(admission.whyApart(request("vault", "theirs"), queues)).isEmpty();
    assertThat(admission.whyApart(request("default", "ours"), queues)).as("they share").isEmpty();

    assertThat(admission.whyApart(request("open", "new"), queues)).isEmpty();
    admission.entered(request("vault", "new"));
    assertThat(admission.whyApart(request("open", "new"), queues)).isPresent();
  }

  private static JobRequest request(String queue, String group) {
    return aRequest("r").queue(queue).with("group", group).build();
  }

  @Test
  void whatIsNoSizeIsRefusedByItsField() {
    assertThatThrownBy(() -> Plan.plain(null).expecting(new GroupEstimates("4", null)))
        .isInstanceOf(PlanRefused.class)
        .hasMessageContaining("estimates.memory: 4, expected a size");
    assertThatThrownBy(() -> Plan.plain(null).expecting(new GroupEstimates(null, "6gb")))
        .isInstanceOf(PlanRefused.class)
        .hasMessageContaining("estimates.gpuMemory: 6gb");
  }

  @Test
  void whatNoRequestMayHave_noGroupMayHave_andWhatOneMayHaveItsRequestsGet() throws PlanRefused {
    List<String> most =
        IntStream.range(0, 100).mapToObj(i -> "%03d".formatted(i) + "x".repeat(125)).toList();
    Plan plan =
        Plan.of("exp", null, new Experiment(null, null, null, most, null))
            .expecting(new GroupEstimates("8PiB", null));
    GroupAdmission admission =
        new GroupAdmission(
            List.of(new ExperimentRow("exp", plan, State.RUNNING, null, 1, null, null, null)));

    JobRequest filled =
        admission.filled(
            aRequest("a").with("group", "exp").list("stages", "load", "train").build());

    assertThat(filled.resultLabels()).isEqualTo(most);
    assertThat(filled.resources().memory()).hasValue(1L << 53);
    for (List<String> tooMuch :
        List.of(
            List.of("x".repeat(129)),
            IntStream.rangeClosed(0, 100).mapToObj(Integer::toString).toList())) {
      assertThatThrownBy(
              () -> Plan.of("exp", null, new Experiment(null, null, null, tooMuch, null)))
          .isInstanceOf(PlanRefused.class)
          .hasMessageContaining("100 at most, of 1 to 128 characters");
    }
    assertThatThrownBy(() -> Plan.plain(null).expecting(new GroupEstimates("9PiB", null)))
        .isInstanceOf(PlanRefused.class)
        .hasMessageContainingAll("estimates.memory: 9PiB, expected a size", "8PiB at most");
  }

  private static Optional<Long> bytes(Long gib) {
    return Optional.ofNullable(gib).map(some -> some << 30);
  }

  private List<String> labels(String request) {
    return StoredRequest.parse(scene.store().request(request)).resultLabels();
  }

  private static GroupAdmission door(State state) throws PlanRefused {
    Experiment asked = new Experiment(null, null, null, List.of("accuracy", "f1"), null);
    Plan plan = Plan.of("exp", null, asked);
    return new GroupAdmission(
        List.of(new ExperimentRow("exp", plan, state, "stopped on request", 1, null, null, null)));
  }
}
