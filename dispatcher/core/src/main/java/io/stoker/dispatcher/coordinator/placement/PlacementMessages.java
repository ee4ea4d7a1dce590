package io.stoker.dispatcher.coordinator.placement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.memory.MemoryBook;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.store.Placements.Known;
import io.stoker.dispatcher.store.Placements.Placed;
import io.stoker.dispatcher.store.Store;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Reads what placements of open attempts say, no more of them at once than can be held. */
public final class PlacementMessages {
  private final Store store;
  private final MemoryBook memory;

  public PlacementMessages(Store store, MemoryBook memory) {
    this.store = store;
    this.memory = memory;
  }

  /**
   * Attempts that are open and not accepted, and what of them is small.
   *
   * @param hosts by id, as they were before the attempts were seen to be open
   */
  record Current(Known known, Map<String, HostRow> hosts) {
    Map<String, Long> epochs() {
      return HostRow.epochs(List.copyOf(hosts.values()));
    }

    /** What an earlier agent may have accepted: the one that is there must not run it. */
    boolean left(AttemptRow attempt) {
      HostRow row = hosts.get(attempt.host());
      return row != null && row.left(attempt);
    }
  }

  /** The jobs in parts that can be held. */
  Uni<List<List<String>>> slices(List<String> jobs) {
    return store.read(tx -> tx.placements().slices(jobs));
  }

  Uni<Current> current(List<String> jobs) {
    return store.read(
        tx ->
            tx.hosts()
                .all()
                .chain(
                    hosts ->
                        tx.placements().known(jobs).map(known -> new Current(known, byId(hosts)))));
  }

  private static Map<String, HostRow> byId(List<HostRow> hosts) {
    return hosts.stream().collect(Collectors.toMap(HostRow::id, Function.identity()));
  }

  /** With all that is told of these. */
  Uni<List<Placed>> placed(Current current, List<AttemptRow> some) {
    return store.read(
        tx -> tx.placements().placed(current.known(), some, keys -> memory.estimates(tx, keys)));
  }
}
