package io.stoker.dispatcher.placement;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.dispatcher.scenario.ARequest;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ShapeTest {
  @Test
  void jobsAreToldApartByWhatTheyAreLikeInFewBuckets() {
    Set<String> texts =
        IntStream.range(0, 1_000)
            .mapToObj(i -> Shape.of(any().build().resources()).alike("profile " + i).text())
            .collect(Collectors.toSet());
    Shape onPool = Shape.of(any().workers("echo").build());

    assertThat(texts).hasSizeBetween(12, 16);
    assertThat(onPool.bucket()).isZero();
  }

  @Test
  void jobsThatShareGpusAreToldApartByWhatTheyAreLikeInSoManyBuckets() {
    var shared = aRequest("a").gpus(1).resource("sharing", "shared").build().resources();

    Set<String> texts =
        IntStream.range(0, 1_000)
            .mapToObj(i -> Shape.of(shared).alike("profile " + i).text())
            .collect(Collectors.toSet());

    assertThat(texts).hasSizeBetween(32, 64);
    assertThat(Shape.of(shared).alike("p")).isEqualTo(Shape.of(shared).alike("p"));
    assertThat(Shape.parse(Shape.of(shared).alike("p").text()))
        .isEqualTo(Shape.of(shared).alike("p"));
    assertThat(Shape.of(shared).alike("p").satisfies(Shape.of(shared).alike("q"))).isTrue();
  }

  private static ARequest any() {
    return aRequest("r");
  }

  private static ARequest gpus(int gpus) {
    return any().gpus(gpus);
  }

  /** What a live job has, what another asks for, and whether that shares it. */
  enum Pair {
    THE_SAME(any(), any(), true),
    MORE_SLOTS(any().resource("cpus", 2), any().resource("cpus", 1), true),
    FEWER_SLOTS(any().resource("cpus", 1), any().resource("cpus", 2), false),
    MORE_GPUS(gpus(2), gpus(1), true),
    FEWER_GPUS(gpus(1), gpus(2), false),
    A_GPU_FOR_A_SLOT(gpus(1), any(), false),
    A_SLOT_FOR_A_GPU(any(), gpus(1), false),
    ENOUGH_GPU_MEMORY(
        gpus(1).resource("gpuMemory", "8GiB"), gpus(1).resource("gpuMemory", "6GiB"), true),
    TOO_LITTLE_GPU_MEMORY(
        gpus(1).resource("gpuMemory", "6GiB"), gpus(1).resource("gpuMemory", "8GiB"), false),
    UNDECLARED_GPU_MEMORY(gpus(1), gpus(1).resource("gpuMemory", "8GiB"), false),
    DECLARED_FOR_UNDECLARED_GPU_MEMORY(gpus(1).resource("gpuMemory", "8GiB"), gpus(1), true),
    TOO_LITTLE_MEMORY(any().resource("memory", "1GiB"), any().resource("memory", "2GiB"), false),
    ENOUGH_MEMORY(any().resource("memory", "2GiB"), any().resource("memory", "2GiB"), true),
    SHARED_FOR_EXCLUSIVE(gpus(1).resource("sharing", "shared"), gpus(1), false),
    EXCLUSIVE_FOR_SHARED(gpus(1), gpus(1).resource("sharing", "shared"), true),
    ANOTHER_DEVICE(gpus(1).resource("device", "0"), gpus(1).resource("device", "1"), false),
    THE_DEVICE(gpus(1).resource("device", "0"), gpus(1).resource("device", "0"), true),
    ANY_DEVICE(gpus(1).resource("device", "0"), gpus(1), true),
    A_LABEL_IT_LACKS(any(), any().resource("require", Map.of("zone", "a")), false),
    ANOTHER_LABEL(
        any().resource("require", Map.of("zone", "b")),
        any().resource("require", Map.of("zone", "a")),
        false),
    A_LABEL_IT_HAS(
        any().resource("require", Map.of("zone", "a", "x", "y")),
        any().resource("require", Map.of("zone", "a")),
        true),
    A_HOST_IT_DOES_NOT_AVOID(any(), any().resource("avoid", List.of("h1")), false),
    A_HOST_IT_AVOIDS(
        any().resource("avoid", List.of("h1", "h2")), any().resource("avoid", List.of("h1")), true),
    A_PREFERENCE(any(), any().resource("prefer", Map.of("zone", "a")), true);

    private final Shape has;
    private final Shape asks;
    private final boolean satisfied;

    Pair(ARequest has, ARequest asks, boolean satisfied) {
      this.has = Shape.of(has.build().resources());
      this.asks = Shape.of(asks.build().resources());
      this.satisfied = satisfied;
    }
  }

  @ParameterizedTest
  @EnumSource
  void aShapeSatisfiesWhatAsksForNoMore(Pair pair) {
    assertThat(pair.has.satisfies(pair.asks)).isEqualTo(pair.satisfied);
  }

  @ParameterizedTest
  @EnumSource
  void aShapeIsReadBackFromItsText(Pair pair) {
    assertThat(Shape.parse(pair.asks.text())).isEqualTo(pair.asks);
    assertThat(Shape.parse(pair.has.text()).text()).isEqualTo(pair.has.text());
  }

  @Test
  void equalShapesHaveEqualTexts() {
    Shape one = Shape.of(any().resource("require", Map.of("a", "1")).build().resources());
    Shape other = Shape.of(any().resource("require", Map.of("a", "1")).build().resources());

    assertThat(one.text()).isEqualTo(other.text());
  }

  @Test
  void noFallbackToSlotsIsPartOfTheShape() {
    Shape refused = Shape.of(gpus(1).resource("cpuFallback", false).build().resources());

    assertThat(Shape.parse(refused.text()).cpuFallback()).isFalse();
    assertThat(Shape.parse(Shape.of(gpus(1).build().resources()).text()).cpuFallback()).isTrue();
  }
}
