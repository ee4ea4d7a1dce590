package io.stoker.simulation;

import static io.stoker.simulation.SimStatements.statement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.store.Groups;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Members of groups. */
record SimGroups(SimTransaction tx) implements Groups {
  @Override
  public Uni<Map<String, Long>> members(List<String> requests) {
    return statement(
        () ->
            tx.readRequests(requests).stream()
                .filter(row -> row.group() != null && row.ended() == null)
                .collect(Collectors.groupingBy(RequestRow::group, Collectors.counting())));
  }

  @Override
  public Uni<Map<String, String>> queues(Collection<String> groups) {
    throw new SimulationFailure("no queue is isolated");
  }

  /** They are counted at once. */
  @Override
  public Uni<Integer> fold() {
    return statement(() -> 0);
  }

  @Override
  public Uni<Integer> fold(List<String> groups) {
    return statement(() -> 0);
  }

  @Override
  public Uni<List<String>> unfolded(int most) {
    return statement(List::of);
  }

  @Override
  public Uni<Integer> create(String group) {
    return statement(
        () -> {
          tx.write(() -> tx.tables().count(Tables.nothingOf(group)));
          return 1;
        });
  }

  @Override
  public Uni<Integer> close(String group) {
    return statement(
        () -> {
          tx.write(() -> tx.tables().closed.add(group));
          return 1;
        });
  }
}
