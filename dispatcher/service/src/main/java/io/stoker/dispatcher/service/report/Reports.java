package io.stoker.dispatcher.service.report;

import com.fasterxml.jackson.databind.JsonNode;
import io.smallrye.mutiny.Uni;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.AttemptEvent.Usage;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.size.Limits;
import io.stoker.common.state.Code;
import io.stoker.dispatcher.experiment.Best;
import io.stoker.dispatcher.experiment.ExperimentRow;
import io.stoker.dispatcher.experiment.Objective;
import io.stoker.dispatcher.report.GroupFacts;
import io.stoker.dispatcher.report.GroupFacts.Item;
import io.stoker.dispatcher.service.postgres.ExperimentTable;
import io.stoker.dispatcher.service.postgres.GroupReport;
import io.stoker.dispatcher.service.postgres.GroupReport.Entry;
import io.stoker.dispatcher.service.postgres.GroupTable;
import io.stoker.dispatcher.service.postgres.GroupTable.Counts;
import io.stoker.dispatcher.service.postgres.RequestTable;
import io.stoker.dispatcher.service.runtime.Aside;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** Gathers what is reported of a group. */
public final class Reports {
  private static final int PAGE = 1000;

  private final StatelessSession session;
  private final String group;
  private final int most;
  private final BooleanSupplier awaited;

  private Reports(StatelessSession session, String group, int most, BooleanSupplier awaited) {
    this.session = session;
    this.group = group;
    this.most = most;
    this.awaited = awaited;
  }

  /**
   * Nothing for a group that nobody knows.
   *
   * @param most requests that are looked at
   * @param awaited whether anybody still waits for it; it ends early when nobody does
   */
  public static Uni<Optional<GroupFacts>> of(
      StatelessSession session, String group, int most, BooleanSupplier awaited) {
    return GroupTable.counts(session, group)
        .chain(
            counts ->
                counts.isEmpty()
                    ? Uni.createFrom().item(Optional.<GroupFacts>empty())
                    : new Reports(session, group, most, awaited)
                        .facts(counts.get())
                        .map(Optional::of));
  }

  private Uni<GroupFacts> facts(Counts counts) {
    return new ExperimentTable(session)
        .find(group)
        .chain(
            row ->
                best(row)
                    .chain(
                        best ->
                            pages(0, "", new ArrayList<>())
                                .map(items -> facts(counts, row, best, items))));
  }

  private Uni<Optional<Best>> best(Optional<ExperimentRow> row) {
    Objective objective = row.map(one -> one.plan().objective()).orElse(Objective.MAX);
    return new ExperimentTable(session).best(group, objective);
  }

  private Uni<List<Item>> pages(long seq, String id, List<Item> before) {
    int size = Math.min(PAGE, most - before.size());
    return GroupReport.page(session, group, seq, id, size)
        .chain(
            page ->
                new RequestTable(session)
                    .specs(ids(page.entries()))
                    .chain(specs -> Aside.run(() -> items(page.entries(), specs)))
                    .chain(
                        items -> {
                          before.addAll(items);
                          if (!page.more()
                              || page.entries().isEmpty()
                              || before.size() >= most
                              || large(before)
                              || !awaited.getAsBoolean()) {
                            return Uni.createFrom().item(before);
                          }
                          Entry last = page.entries().getLast();
                          return pages(last.seq(), last.status().id(), before);
                        }));
  }

  private static List<Item> items(List<Entry> entries, Map<String, String> specs) {
    return entries.stream().map(entry -> item(entry, specs)).toList();
  }

  private static List<String> ids(List<Entry> entries) {
    return entries.stream().map(entry -> entry.status().id()).toList();
  }

  /** Whether what is held of the requests' own words is as much as a report may have. */
  private static boolean large(List<Item> items) {
    return items.stream()
            .mapToLong(item -> item.params() == null ? 0 : item.params().length())
            .sum()
        > 2L * Limits.AT_ONCE;
  }

  private static GroupFacts facts(
      Counts counts, Optional<ExperimentRow> row, Optional<Best> best, List<Item> items) {
    long done = counts.succeeded() + counts.failed() + counts.cancelled();
    boolean all = done >= counts.total();
    boolean closed = counts.closedAt() != null;
    String state = closed ? all ? "ENDED" : "CLOSED" : "OPEN";
    Long end = counts.lastEndAt() == null ? counts.closedAt() : counts.lastEndAt();
    boolean experiment = row.map(one -> one.plan().experiment()).orElse(false);
    return new GroupFacts(
        counts.group(),
        row.map(one -> one.state().name()).orElse(state),
        experiment ? row.get().plan().objective() == Objective.MAX ? "max" : "min" : null,
        row.map(ExperimentRow::reason).orElse(null),
        best.map(Best::id).orElse(null),
        best.map(Best::score).orElse(null),
        counts.total(),
        counts.succeeded(),
        counts.failed(),
        counts.cancelled(),
        counts.firstAt(),
        all ? end : null,
        counts.now(),
        List.copyOf(items),
        Math.max(0, counts.total() - items.size()));
  }

  private static Item item(Entry entry, Map<String, String> specs) {
    RequestStatus status = entry.status();
    Usage usage = status.usage();
    Long end = entry.endedAt() == null || !status.state().terminal() ? null : entry.endedAt();
    return new Item(
        status.id(),
        status.state(),
        status.code(),
        status.reason(),
        status.code() == Code.EARLY_STOPPED ? entry.lastScore() : status.score(),
        status.host(),
        status.devices(),
        status.attempt(),
        status.exitCode(),
        status.shared(),
        status.cached(),
        entry.arrivedAt(),
        usage == null || usage.wallMs() == null || end == null ? null : end - usage.wallMs(),
        end,
        usage,
        params(specs.get(status.id())));
  }

  private static String params(String spec) {
    try {
      JsonNode params = spec == null ? null : Json.read(spec).get("params");
      return params == null || params.isEmpty() ? null : params.toString();
    } catch (MalformedJson e) {
      throw new IllegalStateException("a stored request cannot be read: " + spec, e);
    }
  }
}
