package io.stoker.dispatcher.placement;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.message.HostMessage.DeviceInfo;
import io.stoker.dispatcher.model.Shape;
import io.stoker.dispatcher.placement.Snapshot.Host;
import io.stoker.dispatcher.scenario.ARequest;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What requests require of hosts and their GPUs, and what hosts answer. */
class LabelsTest {
  private static final DeviceInfo H200 =
      new DeviceInfo("0", "GPU-0", "NVIDIA H200 NVL", 141L << 30, "9.0");
  private static final DeviceInfo A100 =
      new DeviceInfo("1", "GPU-1", "NVIDIA A100-SXM4-40GB", 40L << 30, "8.0");

  @ParameterizedTest
  @CsvSource({
    "model, H200, true",
    "model, nvidia h200, true",
    "model, NVIDIA H200 NVL, true",
    "model, H20, false",
    "model, H100, false",
    "model, ' ', false",
    "gpuMemory, 141GiB, true",
    "gpuMemory, 80GB, true",
    "gpuMemory, 142GiB, false",
    "gpuMemory, much, false",
    "computeCapability, 9.0, true",
    "computeCapability, 8.6, true",
    "computeCapability, 10.0, false",
    "computeCapability, 9.1, false",
    "computeCapability, new, false",
    "rack, b2, true",
    "rack, B2, false",
    "room, 1, false"
  })
  void aHostHasItsOwnLabelsAndWhatItsGpusAre(String label, String value, boolean has) {
    ARequest request = aRequest("r").gpus(1).resource("require", Map.of(label, value));

    assertThat(Labels.all(shape(request), host(Map.of("rack", "b2"), H200))).isEqualTo(has);
  }

  @Test
  void whereGpusDifferAllMustBeSoUnlessOneIsPinned() {
    Host mixed = host(Map.of(), H200, A100);
    ARequest request = aRequest("r").gpus(1).resource("require", Map.of("model", "H200"));

    assertThat(Labels.all(shape(request), mixed)).isFalse();
    assertThat(Labels.all(shape(request.resource("device", "0")), mixed)).isTrue();
    assertThat(Labels.all(shape(request.resource("device", "1")), mixed)).isFalse();
  }

  @Test
  void aLabelThatTheAgentWasGivenWinsOverItsGpus() {
    ARequest request = aRequest("r").gpus(1).resource("require", Map.of("model", "H200"));

    assertThat(Labels.all(shape(request), host(Map.of("model", "lab"), H200))).isFalse();
  }

  @Test
  void everyHostAnswersWithItsFigures() {
    ARequest request =
        aRequest("r")
            .gpus(2)
            .resource("gpuMemory", "80GiB")
            .resource("require", Map.of("model", "H200"));
    QueueHead head = head(request, List.of("failed"));
    Host small = Hosts.unshared("small", null, List.of(A100, A100), 2, Map.of());
    Host labelled =
        Hosts.unshared("labelled", null, List.of(A100, A100), 2, Map.of("model", "H200"));

    List<HostAnswer> answers =
        HostAnswer.of(
            new Snapshot(
                List.of(
                    of("one", 1, 1),
                    small,
                    labelled,
                    away("down"),
                    of("failed", 2, 2),
                    of("full", 2, 1),
                    of("kept", 2, 2),
                    of("free", 2, 2)),
                List.of(head),
                Map.of(),
                List.of(new Reservation("older", "q", List.of("kept"), 1)),
                Map.of(),
                1,
                TieBreaker.BY_NAME,
                Map.of()),
            head);

    assertThat(answers)
        .containsExactly(
            new HostAnswer("one", FilterFailure.TOO_FEW_GPUS, "has 1 GPU(s) of 2"),
            new HostAnswer(
                "small", FilterFailure.LABEL, "has not model=H200 but [NVIDIA A100-SXM4-40GB]"),
            new HostAnswer(
                "labelled",
                FilterFailure.TOO_LITTLE_GPU_MEMORY,
                "has fewer than 2 GPU(s) with 80 GiB"),
            new HostAnswer("down", FilterFailure.NOT_USABLE, "is LOST"),
            new HostAnswer(
                "failed",
                FilterFailure.FAILED_BEFORE,
                "has failed it before, and others can serve it"),
            new HostAnswer("full", FilterFailure.BUSY, "has 1 of its 2 GPUs free, needs 2"),
            new HostAnswer("kept", FilterFailure.RESERVED, "is kept free for job older"),
            new HostAnswer("free", null, "could take it now"));
  }

  @Test
  void gpusThatAreTooSmallNeverServe() {
    QueueHead head = head(aRequest("r").gpus(1).resource("gpuMemory", "80GiB"), List.of());
    Snapshot fleet = new Snapshot(List.of(host(Map.of(), A100)), List.of(head));

    assertThat(PlacementPass.decide(fleet, 1).unplaced().get("job").reason())
        .isEqualTo(UnschedulableReason.Reason.UNSATISFIABLE);
  }

  private static Shape shape(ARequest request) {
    return Shape.of(request.build().resources());
  }

  private static QueueHead head(ARequest request, List<String> avoid) {
    return QueueHeads.head("job", "default", shape(request), 0, 1, avoid, Set.of());
  }

  private static Host host(Map<String, String> labels, DeviceInfo... devices) {
    return Hosts.unshared("h1", null, Arrays.asList(devices), devices.length, labels);
  }

  private static Host of(String id, int gpus, int free) {
    List<DeviceInfo> devices = java.util.Collections.nCopies(gpus, H200);
    return Hosts.unshared(id, null, devices, free, Map.of());
  }

  private static Host away(String id) {
    return Hosts.unshared(id, "is LOST", List.of(H200, H200), 2, Map.of());
  }
}
