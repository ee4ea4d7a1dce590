package io.stoker.dispatcher.store;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.JobState;
import io.stoker.common.state.RequestState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** Lists accepted requests, newest first, a page at a time. */
public final class RequestListing {
  private RequestListing() {}

  /** Which requests to list; what is empty does not matter. */
  public record Filter(
      Optional<RequestState> state, Optional<String> queue, Optional<String> group) {}

  /** A place in the list: the request that the next page comes behind. */
  public record Place(long seq, String id) {}

  /**
   * A page.
   *
   * @param last the place of its last entry, if there may be more behind it
   */
  public record Page(List<RequestStatus> requests, Optional<Place> last) {}

  /** One page of at most {@code limit} requests; fewer where they are large. */
  public static Uni<Page> page(
      StatelessSession session, Filter filter, Optional<Place> after, int limit) {
    List<String> conditions = new ArrayList<>(List.of("r.seq > 0"));
    Map<String, Object> parameters = new HashMap<>();
    filter.queue().ifPresent(queue -> equal("r.queue", "queue", queue, conditions, parameters));
    filter.group().ifPresent(group -> equal("r.group", "group", group, conditions, parameters));
    filter.state().ifPresent(state -> in(state, conditions, parameters));
    after.ifPresent(
        place -> {
          conditions.add("(r.seq < :seq or (r.seq = :seq and r.id < :id))");
          parameters.put("seq", place.seq());
          parameters.put("id", place.id());
        });
    String query =
        "select r.seq, r.id from RequestEntity r left join r.job j where "
            + String.join(" and ", conditions)
            + " order by r.seq desc, r.id desc";
    var selection = session.createSelectionQuery(query, Object[].class).setMaxResults(limit);
    parameters.forEach(selection::setParameter);
    return selection
        .getResultList()
        .map(rows -> rows.stream().map(RequestListing::place).toList())
        .chain(places -> page(session, places, limit));
  }

  private static Place place(Object[] row) {
    return new Place((Long) row[0], (String) row[1]);
  }

  private static void equal(
      String column,
      String name,
      String value,
      List<String> conditions,
      Map<String, Object> parameters) {
    conditions.add(column + " = :" + name);
    parameters.put(name, value);
  }

  /** A request stands where it ended by itself, else where its job does, else it waits. */
  private static void in(
      RequestState state, List<String> conditions, Map<String, Object> parameters) {
    List<String> ways = new ArrayList<>();
    if (state == RequestState.WAITING) {
      ways.add("(r.ended is null and j.id is null)");
    }
    for (JobState shown : JobState.values()) {
      if (shown.shown() == state) {
        ways.add("(r.ended is null and j.state = :jobState)");
        parameters.put("jobState", shown);
      }
    }
    if (state.terminal()) {
      ways.add("r.ended = :ended");
      parameters.put("ended", state);
    }
    conditions.add("(" + String.join(" or ", ways) + ")");
  }

  private static Uni<Page> page(StatelessSession session, List<Place> places, int limit) {
    return StatusQueries.firstSlice(session, places.stream().map(Place::id).toList())
        .chain(
            ids ->
                StatusQueries.views(session, ids)
                    .map(
                        views ->
                            new Page(
                                inOrder(ids, views),
                                ids.size() == places.size() && places.size() < limit
                                    ? Optional.empty()
                                    : Optional.of(places.get(ids.size() - 1)))));
  }

  private static List<RequestStatus> inOrder(List<String> ids, List<RequestStatus> views) {
    Map<String, RequestStatus> byId =
        views.stream().collect(Collectors.toMap(RequestStatus::id, Function.identity()));
    return ids.stream().map(byId::get).filter(Objects::nonNull).toList();
  }
}
