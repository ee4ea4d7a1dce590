package io.stoker.dispatcher.service.kinds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.stoker.common.message.HostMessage.DeviceInfo;
import io.stoker.common.message.HostMessage.HostResources;
import io.stoker.common.message.HostMessage.PoolOffer;
import io.stoker.common.message.ToAgent.SetPools;
import io.stoker.common.message.ToAgent.WorkerPool;
import io.stoker.dispatcher.kinds.KindPools;
import io.stoker.dispatcher.kinds.Kinds;
import io.stoker.dispatcher.kinds.KindsRefused;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class KindPoolsTest {
  private static final String KINDS =
      """
      kinds:
        everywhere:
          pool: {command: [a]}
        big:
          workers: large
          pool: {command: [b]}
          resources: {require: {model: H200}}
        north:
          pool: {command: [c]}
          resources: {require: {zone: north}, avoid: [gpu-2]}
        plain:
          command: [d]
      """;

  private static HostResources host(Map<String, String> labels, String model, PoolOffer... pools) {
    return host(labels, model, true, pools);
  }

  private static HostResources host(
      Map<String, String> labels, String model, Boolean takes, PoolOffer... pools) {
    return HostResources.of(
        host -> {
          host.devices =
              model == null ? List.of() : List.of(new DeviceInfo("0", "u", model, 1L << 30, null));
          host.cpuSlots = 1;
          host.labels = labels;
          host.pools = pools.length == 0 ? null : List.of(pools);
          host.kindPools = takes;
        });
  }

  private static Kinds kinds(long generation, String text) {
    try {
      return new Kinds(generation, KindsFile.stored(text));
    } catch (KindsRefused e) {
      throw new AssertionError(e);
    }
  }

  static Stream<Arguments> hosts() {
    return Stream.of(
        arguments("gpu-1", host(Map.of(), null), List.of("everywhere")),
        arguments("gpu-1", host(Map.of(), "NVIDIA H200"), List.of("everywhere", "large")),
        arguments("gpu-1", host(Map.of("zone", "north"), null), List.of("everywhere", "north")),
        arguments("gpu-2", host(Map.of("zone", "north"), null), List.of("everywhere")),
        arguments("gpu-1", host(Map.of("zone", "south"), "A100"), List.of("everywhere")));
  }

  @ParameterizedTest
  @MethodSource("hosts")
  void aHostIsToldOfThoseWhoseKindsItCouldServe(
      String name, HostResources resources, List<String> pools) {
    SetPools set = KindPools.due(kinds(7, KINDS), name, resources, Optional.empty()).orElseThrow();

    assertThat(set.generation()).isEqualTo(7);
    assertThat(set.pools()).extracting(WorkerPool::name).containsExactlyElementsOf(pools);
  }

  static Stream<Arguments> occasions() {
    HostResources none = host(Map.of(), null);
    HostResources own = host(Map.of(), null, new PoolOffer("iris", 3, null));
    HostResources declared = host(Map.of(), null, new PoolOffer("iris", 3, "flower"));
    HostResources old = host(Map.of(), null, (Boolean) null);
    String no = "kinds: {plain: {command: [d]}}";
    return Stream.of(
        arguments("nothing is in force yet", 0, KINDS, none, null, false),
        arguments("it has heard of nothing", 7, KINDS, none, null, true),
        arguments("its agent would not know what it is told", 7, KINDS, old, null, false),
        arguments("it has heard of these", 7, KINDS, none, 7L, false),
        arguments("it has heard of earlier ones", 7, KINDS, none, 6L, true),
        arguments("it has heard of later ones, which are not in force", 7, KINDS, none, 8L, true),
        arguments("there are none, and were none", 7, no, none, null, false),
        arguments("there are none, and it has its own", 7, no, own, null, false),
        arguments("there are none any more", 7, no, declared, null, true),
        arguments("there are none any more, as it says", 7, no, none, 6L, true));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("occasions")
  void itIsToldWhenThereIsSomethingToTell(
      String when, long generation, String text, HostResources resources, Long told, boolean due) {
    assertThat(KindPools.due(kinds(generation, text), "h", resources, Optional.ofNullable(told)))
        .as(when)
        .matches(set -> set.isPresent() == due);
  }

  @Test
  void anAgentThatCannotBeToldIsMissedOnlyWhereThereIsSomethingToTell() {
    HostResources old = host(Map.of(), null, (Boolean) null);

    assertThat(KindPools.kept(kinds(7, KINDS), "h", old)).isTrue();
    assertThat(KindPools.kept(kinds(7, KINDS), "h", host(Map.of(), null))).isFalse();
    assertThat(KindPools.kept(kinds(7, "kinds: {plain: {command: [d]}}"), "h", old)).isFalse();
  }

  @Test
  void peopleAreToldWhichHostsHaveAPool() {
    assertThat(KindPools.sentence(kinds(7, KINDS), "large"))
        .contains("kind big declares it for hosts with model=H200");
    assertThat(KindPools.sentence(kinds(7, KINDS), "everywhere"))
        .contains("kind everywhere declares it for every host");
    assertThat(KindPools.sentence(kinds(7, KINDS), "nowhere")).isEmpty();
  }

  @Test
  void anAgentThatCannotBeToldOfAPoolIsSaidToBeTooOld() {
    HostResources old = host(Map.of(), null, (Boolean) null);
    String tooOld = "; its agent is of a version that knows no such pools: update it";

    assertThat(missing("everywhere", old))
        .contains("kind everywhere declares it for every host" + tooOld);
    assertThat(missing("everywhere", host(Map.of(), null)))
        .contains("kind everywhere declares it for every host");
    // A newer agent of such a host would not have it either.
    assertThat(missing("large", old)).contains("kind big declares it for hosts with model=H200");
    assertThat(missing("nowhere", old)).isEmpty();
    assertThat(KindPools.missing(kinds(7, KINDS), "everywhere", "h", Optional.empty()))
        .contains("kind everywhere declares it for every host");
  }

  private static Optional<String> missing(String pool, HostResources resources) {
    return KindPools.missing(kinds(7, KINDS), pool, "h", Optional.of(resources));
  }
}
