package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.RequestStatus;
import io.stoker.dispatcher.model.Arrival;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** Reads a group for its report: its requests in order of arrival, a page at a time. */
public final class GroupReport {
  private static final String PAGE =
      "select r.id, r.seq, j.ended_at, (select p.score from intermediate_result p where j.state ="
          + " 'CANCELLED' and p.job = j.id and p.attempt = j.attempt and p.score is not null and"
          + " p.score <> 'NaN' order by p.n desc limit 1) from request r left join job j on j.id ="
          + " r.job where r.grp = :grp and r.spec is not null and (r.seq > :seq or (r.seq = :seq"
          + " and r.id > :id)) order by r.seq, r.id limit :most";

  private GroupReport() {}

  /**
   * A request of the report.
   *
   * @param seq its place, for the next page
   * @param arrivedAt ms since 1970
   * @param endedAt when its job ended, ms since 1970; null before, and where it ended without
   * @param lastScore that a cancelled job gave while it ran; null for none, and of others
   */
  public record Entry(
      RequestStatus status, long seq, long arrivedAt, Long endedAt, Double lastScore) {}

  private record Place(String id, long seq, Long endedAt, Double lastScore) {}

  /**
   * A page.
   *
   * @param more whether there may be more behind it
   */
  public record Page(List<Entry> entries, boolean more) {}

  /** The page behind a place: at most so many requests, fewer where they are large. */
  public static Uni<Page> page(
      StatelessSession session, String group, long seq, String id, int most) {
    Map<String, Object> place = Map.of("grp", group, "seq", seq, "id", id, "most", most);
    return Queries.list(
            session,
            PAGE,
            place,
            row -> new Place(row.text(), row.bigint(), row.bigintOrNull(), row.numberOrNull()))
        .chain(
            places ->
                StatusQueries.firstSlice(session, places.stream().map(Place::id).toList())
                    .chain(
                        ids ->
                            new StatusQueries(session)
                                .views(ids)
                                .map(
                                    views ->
                                        new Page(
                                            entries(places, views),
                                            ids.size() < places.size() || places.size() == most))));
  }

  private static List<Entry> entries(List<Place> places, List<RequestStatus> views) {
    Map<String, RequestStatus> byId = new HashMap<>();
    views.forEach(view -> byId.put(view.id(), view));
    return places.stream()
        .map(
            place ->
                byId.containsKey(place.id())
                    ? new Entry(
                        byId.get(place.id()),
                        place.seq(),
                        Arrival.ms(place.seq()),
                        place.endedAt(),
                        place.lastScore())
                    : null)
        .filter(Objects::nonNull)
        .toList();
  }
}
