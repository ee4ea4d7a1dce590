package io.stoker.simulation;

import static io.stoker.simulation.SimStatements.statement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.fairshare.Decay;
import io.stoker.dispatcher.fairshare.DeviceTime;
import io.stoker.dispatcher.fairshare.Usage;
import io.stoker.dispatcher.model.UsageRow;
import io.stoker.dispatcher.store.QueueUsage;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** What queues have used. */
record SimQueueUsage(SimTransaction tx) implements QueueUsage {
  @Override
  public Uni<Void> fold(Decay decay, long now) {
    return fold(decay, row -> true);
  }

  @Override
  public Uni<Void> fold(Decay decay, long now, List<String> queues) {
    return fold(decay, row -> queues.contains(row.queue()));
  }

  private Uni<Void> fold(Decay decay, Predicate<UsageRow> which) {
    return statement(
        () -> {
          tx.write(
              () -> {
                Map<String, Usage> usage = tx.tables().usage;
                List<UsageRow> entries = tx.tables().usageEntries;
                entries.stream()
                    .filter(which)
                    .forEach(
                        row ->
                            usage.put(
                                row.queue(),
                                usage
                                    .getOrDefault(
                                        row.queue(),
                                        new Usage(row.queue(), DeviceTime.NONE, row.at()))
                                    .plus(row, decay)));
                entries.removeIf(which);
              });
          return null;
        });
  }

  @Override
  public Uni<List<String>> unfolded() {
    return statement(
        () -> tx.tables().usageEntries.stream().map(UsageRow::queue).distinct().toList());
  }

  @Override
  public Uni<List<Usage>> all() {
    return statement(() -> List.copyOf(tx.tables().usage.values()));
  }
}
