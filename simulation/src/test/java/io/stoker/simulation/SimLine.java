package io.stoker.simulation;

import static io.stoker.simulation.SimStatements.statement;

import io.smallrye.mutiny.Uni;
import io.stoker.common.state.Code;
import io.stoker.common.state.FailureCategory;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.ReadyRow;
import io.stoker.dispatcher.model.Shape;
import io.stoker.dispatcher.placement.LineKey;
import io.stoker.dispatcher.placement.LineRead;
import io.stoker.dispatcher.placement.LineRead.Part;
import io.stoker.dispatcher.placement.LineRead.Reach;
import io.stoker.dispatcher.placement.LineWalks.Waiting;
import io.stoker.dispatcher.placement.LineWalks.Walk;
import io.stoker.dispatcher.placement.LineWindow;
import io.stoker.dispatcher.placement.Lookback;
import io.stoker.dispatcher.placement.Memory;
import io.stoker.dispatcher.placement.QueueHead;
import io.stoker.dispatcher.store.Line;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Jobs that stand in line; little of each line is read at first. */
record SimLine(SimTransaction tx) implements Line {
  private static final Comparator<LineKey> BY_NAME =
      Comparator.comparing(LineKey::queue)
          .thenComparing(LineKey::shape)
          .thenComparing(LineKey::plannedGroup);

  @Override
  public Uni<Long> count(String queue, int most) {
    return statement(
        () ->
            tx.tables().ready.values().stream()
                .filter(row -> row.queue().equals(queue))
                .limit(most)
                .count());
  }

  /** They are counted when they are asked for. */
  @Override
  public Uni<Integer> foldCounts() {
    return statement(() -> 0);
  }

  @Override
  public Uni<List<String>> some(int most) {
    return statement(() -> tx.tables().ready.keySet().stream().limit(most).toList());
  }

  @Override
  public Uni<LineRead> read(
      LineWindow window, Collection<String> named, Collection<String> leftOut) {
    if (window.many()) {
      throw new UnsupportedOperationException("reading lines by turns: there are few");
    }
    return statement(
        () -> {
          Map<LineKey, List<ReadyRow>> all = new TreeMap<>(BY_NAME);
          for (ReadyRow row : inLine()) {
            all.computeIfAbsent(key(row), line -> new ArrayList<>()).add(row);
          }
          Map<LineKey, Part> lines = new LinkedHashMap<>();
          all.entrySet().stream()
              .limit(window.whole())
              .forEach(
                  line ->
                      lines.put(
                          line.getKey(),
                          part(line.getValue(), whole(window, line.getKey()), leftOut)));
          return new LineRead(lines, List.of(), named(named, leftOut), Map.of());
        });
  }

  @Override
  public Uni<LineRead> from(
      Map<LineKey, Reach> lines, Collection<String> named, Collection<String> leftOut) {
    return statement(
        () -> {
          Map<LineKey, Part> parts = new LinkedHashMap<>();
          lines.forEach((line, reach) -> parts.put(line, part(of(line), reach, leftOut)));
          return new LineRead(parts, List.of(), named(named, leftOut), Map.of());
        });
  }

  @Override
  public Uni<List<Waiting>> behind(Walk walk, int most) {
    return statement(
        () ->
            of(key(walk)).stream()
                .filter(row -> row.rank() > walk.after())
                .limit(most)
                .map(row -> waiting(row, tx.tables().jobs.get(row.job())))
                .toList());
  }

  private static Waiting waiting(ReadyRow row, JobRow job) {
    return new Waiting(
        row.job(),
        row.rank(),
        job.code() == Code.UNSATISFIABLE,
        job.setbacks().failures().isEmpty());
  }

  private static Reach whole(LineWindow window, LineKey line) {
    return new Reach(Long.MIN_VALUE, window.deeper().getOrDefault(line, Lookback.FEWEST));
  }

  private Part part(List<ReadyRow> line, Reach asked, Collection<String> leftOut) {
    return new Part(
        line.stream()
            .filter(row -> row.rank() >= asked.from() && !leftOut.contains(row.job()))
            .limit(asked.depth())
            .map(row -> head(row, tx.tables().jobs.get(row.job())))
            .toList(),
        asked.depth());
  }

  private List<QueueHead> named(Collection<String> named, Collection<String> leftOut) {
    if (named.isEmpty()) {
      return List.of();
    }
    return inLine().stream()
        .filter(row -> named.contains(row.job()) && !leftOut.contains(row.job()))
        .map(row -> head(row, tx.tables().jobs.get(row.job())))
        .toList();
  }

  private List<ReadyRow> of(LineKey line) {
    return inLine().stream().filter(row -> key(row).equals(line)).toList();
  }

  private List<ReadyRow> inLine() {
    List<ReadyRow> rows = new ArrayList<>(tx.tables().ready.values());
    rows.sort(Comparator.comparing(ReadyRow::rank));
    return rows;
  }

  private LineKey key(ReadyRow row) {
    return new LineKey(row.queue(), row.shape(), lane(row));
  }

  private String lane(ReadyRow row) {
    return tx.tables().lanes.getOrDefault(row.job(), "");
  }

  private static LineKey key(Walk walk) {
    String group = walk.line().plannedGroup();
    return new LineKey(walk.line().queue(), walk.line().shape().text(), group == null ? "" : group);
  }

  private QueueHead head(ReadyRow row, JobRow job) {
    return new QueueHead(
        row.job(),
        row.queue(),
        Shape.parse(row.shape()),
        row.priority(),
        row.seq(),
        row.rank(),
        job.setbacks().avoid(),
        Set.of(),
        memory(job),
        lane(row).isEmpty() ? null : lane(row),
        job.code() == Code.UNSATISFIABLE);
  }

  private Memory memory(JobRow job) {
    Map<FailureCategory, Integer> failures =
        tx.has(Defect.FORGET_OUT_OF_MEMORY) ? Map.of() : job.setbacks().failures();
    return Memory.of(
        Shape.parse(job.asked().shape()), job.fingerprint(), job.asked().profile(), failures);
  }
}
