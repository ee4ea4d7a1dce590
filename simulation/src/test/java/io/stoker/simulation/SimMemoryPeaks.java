package io.stoker.simulation;

import static io.stoker.simulation.SimStatements.statement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.memory.Peaks;
import io.stoker.dispatcher.store.MemoryPeaks;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Peaks of memory, which are folded as they are written, and not forgotten. */
record SimMemoryPeaks(SimTransaction tx) implements MemoryPeaks {
  @Override
  public Uni<Map<String, Peaks>> peaks(Collection<String> keys) {
    return statement(
        () -> {
          Map<String, Peaks> known = new HashMap<>();
          for (String key : keys) {
            List<Long> peaks = tx.tables().peaks.get(key);
            if (peaks != null) {
              known.put(key, new Peaks(List.copyOf(peaks), peaks.size()));
            }
          }
          return known;
        });
  }

  @Override
  public Uni<Void> fold() {
    return Uni.createFrom().voidItem();
  }

  @Override
  public Uni<Void> fold(List<String> keys) {
    return Uni.createFrom().voidItem();
  }

  @Override
  public Uni<List<String>> unfolded(int most) {
    return Uni.createFrom().item(List.of());
  }

  @Override
  public Uni<Void> forget(long before) {
    return Uni.createFrom().voidItem();
  }
}
