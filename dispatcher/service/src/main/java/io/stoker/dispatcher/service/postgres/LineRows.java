package io.stoker.dispatcher.service.postgres;

import io.stoker.common.state.Code;
import io.stoker.dispatcher.model.Avoid;
import io.stoker.dispatcher.model.Shape;
import io.stoker.dispatcher.placement.LineKey;
import io.stoker.dispatcher.placement.LineRead;
import io.stoker.dispatcher.placement.LineRead.Part;
import io.stoker.dispatcher.placement.QueueHead;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Makes of the rows of {@link ReadyTable} what was read of the line. */
final class LineRows {
  private LineRows() {}

  /**
   * A row.
   *
   * @param source 0 of a line, 1 of a front, 2 named
   * @param turn of a line: its place among those of its queue that were read
   * @param head null where it cannot be read, or where nothing of the line is to be
   */
  record Entry(
      int source,
      int turn,
      int asked,
      String job,
      LineKey line,
      QueueHead head,
      RuntimeException unreadable) {}

  static Entry entry(Row row, Map<String, Shape> shapes) {
    int source = row.integer();
    int turn = row.integer();
    int asked = row.integer();
    String job = row.text();
    String queue = row.text();
    String shape = row.text();
    LineKey line = new LineKey(queue, shape, row.text());
    if (job == null) {
      return new Entry(source, turn, asked, null, line, null, null);
    }
    try {
      QueueHead head = head(job, queue, shapes.computeIfAbsent(shape, Shape::parse), row);
      return new Entry(source, turn, asked, job, line, head, null);
    } catch (RuntimeException e) {
      // Its line has its turn all the same.
      return new Entry(source, turn, asked, job, line, null, e);
    }
  }

  static LineRead collect(List<Entry> entries) {
    Map<LineKey, Part> lines = new LinkedHashMap<>();
    List<QueueHead> front = new ArrayList<>();
    List<QueueHead> named = new ArrayList<>();
    Map<String, RuntimeException> unreadable = new LinkedHashMap<>();
    List<Entry> inTurn = new ArrayList<>(entries);
    inTurn.sort(Comparator.comparingInt(Entry::turn));
    for (Entry entry : inTurn) {
      List<QueueHead> heads =
          switch (entry.source()) {
            case 0 ->
                lines
                    .computeIfAbsent(
                        entry.line(), line -> new Part(new ArrayList<>(), entry.asked()))
                    .heads();
            case 1 -> front;
            default -> named;
          };
      if (entry.head() != null) {
        heads.add(entry.head());
      } else if (entry.unreadable() != null) {
        unreadable.put(entry.job(), entry.unreadable());
      }
    }
    return new LineRead(lines, front, named, unreadable);
  }

  /**
   * Columns priority, seq, rank, avoid, fingerprint, profile, failures, lane and code of a job in
   * line.
   */
  static QueueHead head(String job, String queue, Shape shape, Row row) {
    return new QueueHead(
        job,
        queue,
        shape,
        row.integer(),
        row.bigint(),
        row.bigint(),
        row.json(Avoid.class, Avoid.NOTHING),
        Set.of(),
        JobTable.memory(row, shape),
        plannedGroup(row),
        Code.UNSATISFIABLE.name().equals(row.text()));
  }

  private static String plannedGroup(Row row) {
    String plannedGroup = row.text();
    return plannedGroup.isEmpty() ? null : plannedGroup;
  }
}
