package io.stoker.dispatcher.dependency;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.stoker.common.request.JobRequest;
import io.stoker.common.size.SendLimits;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.dedup.Binding;
import io.stoker.dispatcher.dependency.Settlement.Dependent;
import io.stoker.dispatcher.fairshare.Queues;
import io.stoker.dispatcher.model.DependencyRow;
import io.stoker.dispatcher.model.FanOutRow;
import io.stoker.dispatcher.model.FanOutRow.Kind;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.model.UnitOfWork;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class FanOutTest {
  private static final int CHUNK = 3;
  private static final Settlement SETTLEMENT =
      new Settlement(new Binding(null, new Queues(List.of())), SendLimits.REAL);

  private final UnitOfWork unit = new UnitOfWork(1);

  @Test
  void settledDependentsFanOutOnlyWhereSomebodyDependsOnThem() {
    List.of("b", "c", "subject").forEach(id -> unit.fanOut(Kind.DEPENDENTS, id));
    unit.fanOut(Kind.SHARERS, "b");

    FanOut.prune(unit, Set.of("a", "b", "c"), List.of("c"));

    assertThat(unit.fanOuts().all())
        .extracting(FanOutRow::kind, FanOutRow::subject)
        .containsExactlyInAnyOrder(
            tuple(Kind.DEPENDENTS, "c"),
            tuple(Kind.DEPENDENTS, "subject"),
            tuple(Kind.SHARERS, "b"));
  }

  @Test
  void sharersAreOwedTheirStatusesChunkByChunk() {
    FanOutRow start = new FanOutRow(Kind.SHARERS, "job", "");
    unit.fanOuts().load(start);

    FanOut.owe(unit, start, ids(0, CHUNK), CHUNK);

    assertThat(unit.due()).containsExactly("r0", "r1", "r2");
    assertThat(unit.fanOuts().all()).containsExactly(new FanOutRow(Kind.SHARERS, "job", "r2"));
  }

  @Test
  void aChunkThatIsNotFullIsTheLast() {
    FanOutRow row = new FanOutRow(Kind.SHARERS, "job", "r2");
    unit.fanOuts().load(row);

    FanOut.owe(unit, row, ids(3, CHUNK - 1), CHUNK);

    assertThat(unit.due()).containsExactly("r3", "r4");
    assertThat(unit.fanOuts().all()).isEmpty();
  }

  @Test
  void whoCameToDependMeanwhileIsForTheNextChunk() {
    FanOutRow row = ended("subject");

    settle(row, List.of("a", "late"), dependents("a"));

    assertThat(unit.stateOf("a")).isEqualTo(RequestState.FAILED);
    assertThat(unit.fanOuts().all()).contains(row);
  }

  @Test
  void itIsOverOnceAllAreSettled() {
    FanOutRow row = ended("subject");

    settle(row, List.of("a", "b"), dependents("a", "b"));

    assertThat(unit.fanOuts().all()).doesNotContain(row);
    assertThat(unit.dependencies().all()).isEmpty();
  }

  @Test
  void aFullChunkIsNotTheLast() {
    FanOutRow row = ended("subject");

    settle(row, List.of("a", "b", "c"), dependents("a", "b", "c"));

    assertThat(unit.fanOuts().all()).contains(row);
  }

  @Test
  void whatHasNotEndedOrIsNoMoreSettlesNobody() {
    FanOutRow live = new FanOutRow(Kind.DEPENDENTS, "live", "");
    FanOutRow dropped = new FanOutRow(Kind.DEPENDENTS, "dropped", "");
    unit.fanOuts().loadAll(List.of(live, dropped));
    unit.requests().load(arrived("live"));
    Map<String, Dependent> locked = dependents("a");

    settle(live, List.of("a"), locked);
    settle(dropped, List.of(), Map.of());

    assertThat(unit.stateOf("a")).isEqualTo(RequestState.WAITING);
    assertThat(unit.fanOuts().all()).isEmpty();
  }

  private FanOutRow ended(String subject) {
    FanOutRow row = new FanOutRow(Kind.DEPENDENTS, subject, "");
    unit.fanOuts().load(row);
    unit.requests().load(arrived(subject).ended(RequestState.FAILED, null, "in vain", 1));
    return row;
  }

  private Map<String, Dependent> dependents(String... ids) {
    List.of(ids).forEach(id -> unit.requests().load(arrived(id)));
    return Stream.of(ids)
        .collect(Collectors.toMap(id -> id, id -> new Dependent(asked(id), Map.of())));
  }

  private static JobRequest asked(String id) {
    return aRequest(id).dependsOn("subject").build();
  }

  private void settle(FanOutRow row, List<String> current, Map<String, Dependent> locked) {
    List<DependencyRow> edges =
        current.stream().map(id -> new DependencyRow(id, row.subject())).toList();
    FanOut.settle(unit, SETTLEMENT, row.key(), edges, locked, CHUNK);
  }

  private static RequestRow arrived(String id) {
    return RequestRow.arrived(aRequest(id).build(), 1, 1, false);
  }

  private static List<String> ids(int from, int count) {
    return IntStream.range(from, from + count).mapToObj(i -> "r" + i).toList();
  }
}
