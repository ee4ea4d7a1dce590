package io.stoker.dispatcher.service.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.service.page.DependencyGraph.Node;
import io.stoker.dispatcher.service.rest.DetailsView;
import io.stoker.dispatcher.service.rest.DetailsView.Dependency;
import io.stoker.dispatcher.service.rest.DetailsView.Dependent;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DependencyGraphTest {
  private static final String AT = "2026-11-21T10:00:00Z";

  private static DetailsView details(List<Dependency> needs, int dependents, Integer left) {
    List<Dependent> some =
        IntStream.range(0, dependents)
            .mapToObj(i -> new Dependent("d" + i, RequestState.WAITING))
            .toList();
    RequestStatus status = RequestStatus.rejected("own", null, Code.APP_FAILURE, "why", AT);
    return new DetailsView(status, null, AT, needs, some, left, null, List.of(), null, null);
  }

  @Test
  void of_aRequestAlone_isNothing() {
    assertThat(DependencyGraph.of(details(List.of(), 0, null))).isEmpty();
  }

  @Test
  void of_many_drawsTheFirstAndSaysHowManyMoreThereAre() {
    DependencyGraph graph =
        DependencyGraph.of(
                details(
                    List.of(
                        new Dependency("done", RequestState.SUCCEEDED, null),
                        new Dependency("unknown", null, null)),
                    50,
                    7))
            .orElseThrow();
    assertThat(graph.nodes())
        .extracting(Node::text)
        .containsExactly(
            "done", "unknown", "own", "d0", "d1", "d2", "d3", "d4", "d5", "and 51 more");
    assertThat(graph.nodes().get(1).state()).isEqualTo("never posted");
    assertThat(graph.edges()).hasSize(9);
    assertThat(graph.sentence()).startsWith("It needs 2, of which 1 are over; 57 wait for it.");
  }

  @Test
  void of_several_keepsBoxesWithinTheDrawingAndApart() {
    DependencyGraph graph = DependencyGraph.of(details(List.of(), 3, null)).orElseThrow();
    assertThat(graph.nodes())
        .allSatisfy(
            node -> {
              assertThat(node.x() + node.width()).isBetween(0, DependencyGraph.WIDTH);
              assertThat(node.y() + node.height()).isBetween(0, graph.height());
            });
    int[] tops =
        graph.nodes().stream()
            .filter(node -> node.text().startsWith("d"))
            .mapToInt(Node::y)
            .toArray();
    assertThat(tops).isSorted();
    assertThat(Arrays.stream(tops).distinct()).hasSize(3);
  }

  @Test
  void node_ofALongId_showsItsBeginning() {
    List<Dependency> needs = List.of(new Dependency("x".repeat(128), null, null));
    assertThat(DependencyGraph.of(details(needs, 0, null)).orElseThrow().nodes().getFirst().text())
        .hasSizeLessThan(40)
        .endsWith("…");
  }
}
