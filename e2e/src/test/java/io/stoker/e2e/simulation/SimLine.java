package io.stoker.e2e.simulation;

import io.stoker.common.state.Code;
import io.stoker.common.state.FailureCategory;
import io.stoker.dispatcher.ledger.JobRow;
import io.stoker.dispatcher.ledger.MemoryKeys;
import io.stoker.dispatcher.ledger.MemoryKeys.Of;
import io.stoker.dispatcher.ledger.ReadyRow;
import io.stoker.dispatcher.ledger.Shape;
import io.stoker.dispatcher.memory.Estimate;
import io.stoker.dispatcher.memory.Estimate.From;
import io.stoker.dispatcher.memory.MemoryRules;
import io.stoker.dispatcher.memory.Peaks;
import io.stoker.dispatcher.placement.Head;
import io.stoker.dispatcher.placement.Memory;
import io.stoker.dispatcher.placement.MemoryView;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The line as a pass reads it, as ReadyTable and MemoryBook. */
final class SimLine {
  private static final MemoryRules MEMORY = new MemoryRules(0.95, 0.1);

  private final World world;

  SimLine(World world) {
    this.world = world;
  }

  /** The first of each queue and shape but those left out, with what is expected of them. */
  List<Head> heads(SimTransaction tx, Set<String> leftOut) {
    Map<String, List<ReadyRow>> groups = new LinkedHashMap<>();
    tx.tables().ready.values().stream()
        .filter(row -> !leftOut.contains(row.job()))
        .sorted(Comparator.comparing(ReadyRow::rank))
        .forEach(
            row ->
                groups
                    .computeIfAbsent(row.queue() + row.shape(), key -> new ArrayList<>())
                    .add(row));
    List<Head> line =
        groups.values().stream()
            .flatMap(rows -> rows.stream().limit(Settings.HEADS))
            .map(
                row ->
                    new Head(
                        row.job(),
                        row.queue(),
                        Shape.parse(row.shape()),
                        row.priority(),
                        row.seq(),
                        row.rank(),
                        tx.tables().jobs.get(row.job()).avoid(),
                        Set.of(),
                        memory(tx.tables().jobs.get(row.job())),
                        null,
                        tx.tables().jobs.get(row.job()).code() == Code.UNSATISFIABLE))
            .toList();
    return MemoryView.expecting(line, estimates(tx, line));
  }

  private Memory memory(JobRow job) {
    Map<FailureCategory, Integer> failures =
        world.has(Defect.FORGET_OUT_OF_MEMORY) ? Map.of() : job.failures();
    return Memory.of(Shape.parse(job.shape()), job.fingerprint(), job.profile(), failures);
  }

  /** As MemoryBook. */
  private static Map<MemoryKeys, Estimate> estimates(SimTransaction tx, List<Head> line) {
    Map<MemoryKeys, Estimate> estimates = new HashMap<>();
    line.stream()
        .flatMap(head -> head.memory().bothKeys())
        .filter(MemoryKeys::learns)
        .forEach(
            keys ->
                estimate(tx, keys.of(), From.EQUAL_JOBS, keys.equal())
                    .or(() -> estimate(tx, keys.of(), From.LIKE_JOBS, keys.like()))
                    .ifPresent(known -> estimates.put(keys, known)));
    return estimates;
  }

  private static Optional<Estimate> estimate(SimTransaction tx, Of of, From from, String key) {
    List<Long> peaks = tx.tables().peaks.getOrDefault(key, List.of());
    return MEMORY.estimate(of, from, new Peaks(peaks, peaks.size()));
  }
}
