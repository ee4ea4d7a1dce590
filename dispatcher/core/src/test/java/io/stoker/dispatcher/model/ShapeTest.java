package io.stoker.dispatcher.model;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.stoker.dispatcher.scenario.ARequest;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class ShapeTest {
  @Test
  void jobsAreToldApartByWhatTheyAreLikeInFewBuckets() {
    Set<String> texts =
        IntStream.range(0, 1_000)
            .mapToObj(i -> Shape.of(any().build(), "profile " + i).text())
            .collect(Collectors.toSet());
    Shape onPool = Shape.of(any().workers("echo").build());

    assertThat(texts).hasSizeBetween(12, 16);
    assertThat(onPool.bucket()).isZero();
  }

  @Test
  void jobsThatShareGpusAreToldApartByWhatTheyAreLikeInSoManyBuckets() {
    var shared = gpus(1).resource("sharing", "shared").build();

    Set<String> texts =
        IntStream.range(0, 1_000)
            .mapToObj(i -> Shape.of(shared, "profile " + i).text())
            .collect(Collectors.toSet());

    assertThat(texts).hasSizeBetween(32, 64);
    assertThat(Shape.of(shared, "p")).isEqualTo(Shape.of(shared, "p"));
    assertThat(Shape.parse(Shape.of(shared, "p").text())).isEqualTo(Shape.of(shared, "p"));
  }

  private static ARequest any() {
    return aRequest("r");
  }

  private static ARequest gpus(int gpus) {
    return any().gpus(gpus);
  }

  /** What a waiting job asks, what one asks who comes to share it, and whether that is less. */
  enum Pair {
    THE_SAME(any(), any(), false),
    FEWER_SLOTS(any().resource("cpus", 2), any().resource("cpus", 1), true),
    MORE_SLOTS(any().resource("cpus", 1), any().resource("cpus", 2), false),
    OTHER_GPUS(gpus(2), gpus(1), false),
    LESS_GPU_MEMORY(
        gpus(1).resource("gpuMemory", "8GiB"), gpus(1).resource("gpuMemory", "6GiB"), true),
    MORE_GPU_MEMORY(
        gpus(1).resource("gpuMemory", "6GiB"), gpus(1).resource("gpuMemory", "8GiB"), false),
    DECLARED_GPU_MEMORY(gpus(1), gpus(1).resource("gpuMemory", "8GiB"), false),
    UNDECLARED_GPU_MEMORY(gpus(1).resource("gpuMemory", "8GiB"), gpus(1), true),
    MORE_MEMORY(any().resource("memory", "1GiB"), any().resource("memory", "2GiB"), false),
    LESS_MEMORY(any().resource("memory", "2GiB"), any().resource("memory", "1GiB"), true),
    EXCLUSIVE(gpus(1).resource("sharing", "shared"), gpus(1), false),
    SHARED(gpus(1), gpus(1).resource("sharing", "shared"), true),
    A_HOST_TO_AVOID(any(), any().resource("avoid", List.of("h1")), false),
    FEWER_TO_AVOID(
        any().resource("avoid", List.of("h1", "h2")), any().resource("avoid", List.of("h1")), true),
    MORE_AND_LESS(
        any().resource("memory", "2GiB"),
        any().resource("memory", "1GiB").resource("avoid", List.of("h1")),
        false),
    ANOTHER_USER(any().resource("cpus", 2).with("user", "ann"), any().with("user", "bob"), false),
    A_PREFERENCE(any(), any().resource("prefer", Map.of("zone", "a")), false);

    private final Shape has;
    private final Shape asks;
    private final boolean less;

    Pair(ARequest has, ARequest asks, boolean less) {
      this.has = Shape.of(has.build());
      this.asks = Shape.of(asks.build());
      this.less = less;
    }
  }

  @ParameterizedTest
  @EnumSource
  void whoAsksForLessIsServedWhereverTheOtherIs(Pair pair) {
    assertThat(pair.asks.asksLessThan(pair.has)).isEqualTo(pair.less);
  }

  @ParameterizedTest
  @EnumSource
  void aShapeIsReadBackFromItsText(Pair pair) {
    assertThat(Shape.parse(pair.asks.text())).isEqualTo(pair.asks);
    assertThat(Shape.parse(pair.has.text()).text()).isEqualTo(pair.has.text());
  }

  @Test
  void equalShapesHaveEqualTexts() {
    Shape one =
        Shape.of(
            any()
                .resource("require", Map.of("a", "{'bucket':11,'cpuFallback':true,'cpus':1}"))
                .build()
                .resources());
    Shape other =
        Shape.of(
            any()
                .resource("require", Map.of("a", "{'bucket':11,'cpuFallback':true,'cpus':1}"))
                .build()
                .resources());

    assertThat(one.text()).isEqualTo(other.text());
  }

  /** Texts are stored, and are keys: one that changed would be another shape. */
  @ParameterizedTest
  @MethodSource("stored")
  void itsTextIsAsItWasStoredEver(ARequest request, String text) {
    Shape shape = Shape.of(request.build());

    assertThat(shape.text().replace('"', '\'')).isEqualTo(text);
    assertThat(Shape.parse(shape.text())).isEqualTo(shape);
  }

  static Stream<Arguments> stored() {
    return Stream.of(
        arguments(any(), "{'bucket':11,'cpuFallback':true,'cpus':1}"),
        arguments(
            any().resource("cpus", 0).resource("memory", "2GiB").with("user", "ann"),
            "{'bucket':11,'cpuFallback':true,'memory':2147483648,'user':'ann'}"),
        arguments(
            any().resource("hosts", 2).resource("avoid", List.of("h2", "h1")),
            "{'avoid':['h2','h1'],'bucket':11,'cpuFallback':true,'cpus':1,'hosts':2}"),
        arguments(
            gpus(2)
                .resource("gpuMemory", "8GiB")
                .resource("require", Map.of("zone", "a", "model", "x"))
                .resource("prefer", Map.of("disk", "b")),
            "{'bucket':9,'cpuFallback':true,'gpuMemory':8589934592,'gpus':2,'prefer':{'disk':'b'},"
                + "'require':{'model':'x','zone':'a'}}"),
        arguments(
            gpus(1).resource("sharing", "shared").resource("cpuFallback", false),
            "{'bucket':10,'gpus':1,'shared':true}"),
        arguments(
            gpus(1).resource("device", "cuda:0").with("image", "i"),
            "{'bucket':14,'cpuFallback':true,'device':'cuda:0','gpus':1,'runner':'container'}"),
        arguments(
            gpus(1).list("stages", "load", "train"),
            "{'bucket':10,'cpuFallback':true,'gpus':1,'staged':true}"),
        arguments(
            any().workers("iris").with("user", "ann"),
            "{'cpuFallback':true,'pool':'iris','user':'ann'}"),
        arguments(
            any().resource("type", "ssh").gpus(2), "{'cpuFallback':true,'gpus':2,'runner':'ssh'}"),
        arguments(
            any().resource("type", "passive").with("user", "ann"),
            "{'cpuFallback':true,'runner':'passive','user':'ann'}"));
  }

  @Test
  void noFallbackToSlotsIsPartOfTheShape() {
    Shape refused = Shape.of(gpus(1).resource("cpuFallback", false).build().resources());

    assertThat(Shape.parse(refused.text()).cpuFallback()).isFalse();
    assertThat(Shape.parse(Shape.of(gpus(1).build().resources()).text()).cpuFallback()).isTrue();
  }
}
