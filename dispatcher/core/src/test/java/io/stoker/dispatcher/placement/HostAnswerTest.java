package io.stoker.dispatcher.placement;

import static io.stoker.dispatcher.scenario.AHost.aHost;
import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.dispatcher.model.Shape;
import io.stoker.dispatcher.scenario.AHost;
import io.stoker.dispatcher.scenario.ARequest;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What one host says to one job, beside a host with GPUs that makes the fleet one with GPUs. */
class HostAnswerTest {
  private static final AHost OTHER = aHost("other").gpus(8).cpuSlots(0);

  static Stream<Arguments> answers() {
    return Stream.of(
        Arguments.of(aHost("h"), aRequest("r"), null, "could take it now"),
        Arguments.of(
            aHost("h"),
            aRequest("r").resource("avoid", List.of("h")),
            FilterFailure.AVOIDED,
            "is among those that the request avoids"),
        Arguments.of(
            aHost("h").gpus(1),
            aRequest("r").gpus(2),
            FilterFailure.TOO_FEW_GPUS,
            "has 1 GPU(s) of 2"),
        Arguments.of(
            aHost("h").cpuSlots(4),
            aRequest("r").resource("cpus", 5),
            FilterFailure.TOO_FEW_SLOTS,
            "has 4 CPU slot(s) of 5"),
        Arguments.of(
            aHost("h").gpus(1),
            aRequest("r").gpus(1).resource("device", "7"),
            FilterFailure.NO_SUCH_DEVICE,
            "has no device 7"),
        Arguments.of(
            aHost("h").gpus(1).label("zone", "b"),
            aRequest("r").gpus(1).resource("require", Map.of("zone", "a")),
            FilterFailure.LABEL,
            "has not zone=a but b"),
        Arguments.of(
            aHost("h").gpus(1),
            aRequest("r").gpus(1).resource("require", Map.of("model", "H200")),
            FilterFailure.LABEL,
            "has not model=H200 but [fake]"),
        Arguments.of(
            aHost("h").gpus(1),
            aRequest("r").gpus(1).resource("gpuMemory", "9GiB"),
            FilterFailure.TOO_LITTLE_GPU_MEMORY,
            "has fewer than 1 GPU(s) with 9 GiB"),
        Arguments.of(
            aHost("h").cordoned(), aRequest("r"), FilterFailure.NOT_USABLE, "is cordoned: repairs"),
        Arguments.of(
            aHost("h").refuses("1 MiB is free"),
            aRequest("r"),
            FilterFailure.NOT_USABLE,
            "takes nothing new for now: 1 MiB is free"),
        Arguments.of(
            aHost("h").gpus(3).reserves(2, 0),
            aRequest("r").gpus(2),
            FilterFailure.BUSY,
            "has 1 of its 3 GPUs free, needs 2"),
        Arguments.of(
            aHost("h").reserves(0, 4),
            aRequest("r"),
            FilterFailure.BUSY,
            "has 0 of its 4 CPU slots free, needs 1"));
  }

  @ParameterizedTest
  @MethodSource("answers")
  void everyHostSaysWhyNotWithFigures(
      AHost host, ARequest request, FilterFailure failure, String sentence) {
    HostAnswer answer = answer(host, head(request, List.of(), Set.of()), List.of());

    assertThat(answer).isEqualTo(new HostAnswer("h", failure, sentence));
  }

  @Test
  void aHostThatFailedTheJobSaysSoWhileAnotherCanServeIt() {
    QueueHead failed = head(aRequest("r").gpus(1), List.of("h"), Set.of());
    QueueHead alone =
        head(aRequest("r").gpus(1).resource("avoid", List.of("other")), List.of("h"), Set.of());

    assertThat(answer(aHost("h").gpus(1), failed, List.of()).obstacle())
        .isEqualTo(FilterFailure.FAILED_BEFORE);
    assertThat(answer(aHost("h").gpus(1), alone, List.of()).obstacle()).isNull();
  }

  @Test
  void aHostThatReturnedSuchAJobSaysSo() {
    assertThat(answer(aHost("h"), head(aRequest("r"), List.of(), Set.of("h")), List.of()))
        .isEqualTo(
            new HostAnswer(
                "h", FilterFailure.RETURNED, "has returned such a job, and not changed since"));
  }

  @Test
  void aHostThatIsKeptFreeSaysForWhom() {
    QueueHead head = head(aRequest("r").gpus(1), List.of(), Set.of());
    List<Reservation> reservations = List.of(new Reservation("large", "q", List.of("h"), 0));

    assertThat(answer(aHost("h").gpus(1), head, reservations))
        .isEqualTo(new HostAnswer("h", FilterFailure.RESERVED, "is kept free for job large"));
    assertThat(
            answer(aHost("h").gpus(1), head, List.of(new Reservation("job", "q", List.of("h"), 0)))
                .obstacle())
        .as("its own claim is no obstacle")
        .isNull();
  }

  private static QueueHead head(ARequest request, List<String> avoid, Set<String> returnedBy) {
    var built = request.build();
    return QueueHeads.head("job", "q", Shape.of(built.resources()), 0, 1, avoid, returnedBy);
  }

  private static HostAnswer answer(AHost host, QueueHead head, List<Reservation> reservations) {
    Map<String, AHost> hosts = Map.of("h", host, "other", OTHER);
    Snapshot snapshot =
        FleetView.of(
                List.of(host.row(), OTHER.row()),
                List.of(),
                List.of(head),
                any -> true,
                id -> Optional.of(hosts.get(id).heartbeat()),
                shape -> head.returnedBy())
            .shared(Map.of(), reservations, 0);
    List<HostAnswer> answers = HostAnswer.of(snapshot, head);
    assertThat(answers).extracting(HostAnswer::host).containsExactly("h", "other");
    return answers.getFirst();
  }
}
