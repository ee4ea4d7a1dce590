package io.stoker.dispatcher.placement;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.dispatcher.model.Shape;
import io.stoker.dispatcher.scenario.ARequest;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Jobs that ask for different things are told apart without comparing each with each. */
class SchedulingKeyTest {
  private static final int SHAPES = 10_000;

  static List<IntFunction<ARequest>> differences() {
    return List.of(
        i -> aRequest("r").resource("memory", (1L << 30) + i),
        i -> aRequest("r").resource("require", Map.of("rack", "r" + i)),
        i -> aRequest("r").resource("prefer", Map.of("rack", "r" + i)),
        i -> aRequest("r").resource("avoid", List.of("host-" + i)),
        i -> aRequest("r").gpus(1).resource("gpuMemory", (1L << 30) + i),
        i -> aRequest("r").gpus(1).resource("device", "GPU-" + i),
        i -> aRequest("r").with("user", "u" + i),
        i -> aRequest("r").workers("pool-" + i));
  }

  @ParameterizedTest
  @MethodSource("differences")
  void whatTellsThemApartIsInTheHash(IntFunction<ARequest> difference) {
    long hashes =
        IntStream.range(0, SHAPES)
            .mapToObj(i -> SchedulingKey.of(head(Shape.of(difference.apply(i).build()))))
            .mapToInt(SchedulingKey::hashCode)
            .distinct()
            .count();

    assertThat(hashes).isGreaterThan(SHAPES * 9L / 10);
  }

  private static QueueHead head(Shape shape) {
    return QueueHeads.head("job", "queue", shape, 0, 1, List.of(), Set.of());
  }
}
