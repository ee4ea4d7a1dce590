package io.stoker.dispatcher.service.page;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.RequestStatus;
import io.stoker.dispatcher.service.postgres.StatusQueries;
import io.stoker.dispatcher.service.rest.ListResource;
import io.stoker.dispatcher.service.rest.ListResource.Counted;
import io.stoker.dispatcher.service.rest.ListResource.Grouped;
import io.stoker.dispatcher.service.rest.Reads;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Counts requests by a column, and shows the newest of each. */
@ApplicationScoped
class Tallies {
  private final ListResource lists;
  private final Reads reads;

  Tallies(ListResource lists, Reads reads) {
    this.lists = lists;
    this.reads = reads;
  }

  /**
   * Requests that fit, by a column.
   *
   * @param parts the most first
   * @param more whether there may be others, which were not counted
   * @param looked how many of the newest were looked at; null if all were
   */
  record Tally(List<Part> parts, boolean more, Integer looked) {}

  /**
   * Those that have the same in it.
   *
   * @param newest of them
   */
  record Part(String value, long count, RequestStatus newest) {}

  /**
   * Counts them. Who asks is known only before anything is awaited, so it is to be called then.
   *
   * @param query as {@link ListResource#listed} takes it, with {@code by}
   */
  Uni<Tally> of(Map<String, List<String>> query) {
    return lists.listed(query).chain(listed -> withNewest(listed.grouped()));
  }

  private Uni<Tally> withNewest(Grouped grouped) {
    List<Counted> counts = grouped.counts().stream().filter(one -> one.value() != null).toList();
    List<String> newest = counts.stream().map(Counted::newest).toList();
    return reads
        .ask(session -> new StatusQueries(session).views(newest))
        .map(
            views -> {
              Map<String, RequestStatus> byId =
                  views.stream().collect(Collectors.toMap(RequestStatus::id, Function.identity()));
              return new Tally(
                  counts.stream()
                      // One that was deleted meanwhile is none any more.
                      .filter(one -> byId.containsKey(one.newest()))
                      .map(one -> new Part(one.value(), one.count(), byId.get(one.newest())))
                      .toList(),
                  grouped.more() || !grouped.whole(),
                  grouped.looked());
            });
  }
}
