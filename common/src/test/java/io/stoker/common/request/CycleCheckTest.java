package io.stoker.common.request;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CycleCheckTest {
  private final CycleCheck edges = new CycleCheck();

  @Test
  void nothingIsClosedWithoutEdges() {
    assertThat(edges.closedBy("a", List.of("b", "c"))).isEmpty();
  }

  @Test
  void thePathLeadsFromTheRequestBackToItself() {
    edges.add("b", List.of("c"));
    edges.add("c", List.of("x", "a"));

    assertThat(edges.closedBy("a", List.of("b"))).contains(List.of("a", "b", "c", "a"));
  }

  @Test
  void twoWaysToOneDependencyAreNoCycle() {
    edges.add("b", List.of("d"));
    edges.add("c", List.of("d"));

    assertThat(edges.closedBy("a", List.of("b", "c"))).isEmpty();
  }

  @Test
  void aCycleThatIsAlreadyThereDoesNotHoldItUp() {
    edges.add("x", List.of("y"));
    edges.add("y", List.of("x"));

    assertThat(edges.closedBy("a", List.of("x"))).isEmpty();
  }

  @Test
  void amongRequestsThatArePostedTogetherOneIsFoundWithItsPath() throws Exception {
    assertThat(
            CycleCheck.among(
                List.of(
                    request("d", "a"), request("a", "b"), request("b", "c"), request("c", "a"))))
        .contains(List.of("a", "b", "c", "a"));
    assertThat(
            CycleCheck.among(
                List.of(request("c", "a", "b"), request("b", "a", "elsewhere"), request("a"))))
        .isEmpty();
  }

  private static JobRequest request(String id, String... dependsOn) throws Exception {
    String ids = List.of(dependsOn).stream().collect(Collectors.joining("\",\"", "[\"", "\"]"));
    String text =
        "{\"id\":\"%s\",\"command\":[\"x\"]%s}"
            .formatted(id, dependsOn.length == 0 ? "" : ",\"dependsOn\":" + ids);
    return RequestParser.parse(text.getBytes(StandardCharsets.UTF_8), Optional.empty());
  }

  @Test
  void aLongChainIsFollowedToItsEnd() {
    IntStream.range(0, 10_000).forEach(i -> edges.add("r" + i, List.of("r" + (i + 1))));

    assertThat(edges.closedBy("r10000", List.of("r0")).orElseThrow()).hasSize(10_002);
  }
}
