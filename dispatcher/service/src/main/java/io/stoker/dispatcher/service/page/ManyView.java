package io.stoker.dispatcher.service.page;

import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.service.rest.ListResource.Entry;
import io.stoker.dispatcher.service.rest.ListResource.Listed;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Shows what may be done to all that a list shows, before it is done.
 *
 * @param query by which they were found
 * @param all of them, at most 500, newest first
 * @param more whether others fit that are not among these
 */
public record ManyView(JobsQuery query, List<RequestStatus> all, boolean more) {
  /** That are changed at once. */
  static final int MOST = 500;

  static ManyView of(JobsQuery query, Listed found) {
    return new ManyView(
        query, found.requests().stream().map(Entry::status).toList(), found.next() != null);
  }

  /** How many stand where. */
  public Map<RequestState, Long> byState() {
    return all.stream()
        .collect(Collectors.groupingBy(RequestStatus::state, TreeMap::new, Collectors.counting()));
  }

  /** Those that can be cancelled or moved. */
  public List<RequestStatus> live() {
    return those(state -> !state.terminal());
  }

  /** Those that can be posted again. */
  public List<RequestStatus> failed() {
    return those(state -> state.terminal() && state != RequestState.SUCCEEDED);
  }

  private List<RequestStatus> those(Predicate<RequestState> wanted) {
    return all.stream().filter(one -> wanted.test(one.state())).toList();
  }

  /** Their ids, with spaces between them. */
  public String ids(List<RequestStatus> some) {
    return some.stream().map(RequestStatus::id).collect(Collectors.joining(" "));
  }
}
