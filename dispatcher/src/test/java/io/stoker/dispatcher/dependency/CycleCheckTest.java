package io.stoker.dispatcher.dependency;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
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
  void aLongChainIsFollowedToItsEnd() {
    IntStream.range(0, 10_000).forEach(i -> edges.add("r" + i, List.of("r" + (i + 1))));

    assertThat(edges.closedBy("r10000", List.of("r0")).orElseThrow()).hasSize(10_002);
  }
}
