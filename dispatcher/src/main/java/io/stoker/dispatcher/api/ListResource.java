package io.stoker.dispatcher.api;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.store.RequestListing;
import io.stoker.dispatcher.store.RequestListing.Filter;
import io.stoker.dispatcher.store.RequestListing.Place;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.microprofile.openapi.annotations.Operation;

/** Lists requests. */
@Path("/requests")
@Produces(MediaType.APPLICATION_JSON)
public class ListResource {
  private static final int MOST = 1000;
  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,4}");
  private static final Pattern CURSOR = Pattern.compile("([0-9]{1,18})[.](.{1,128})");

  private final Reads reads;

  ListResource(Reads reads) {
    this.reads = reads;
  }

  /**
   * A page of requests.
   *
   * @param requests newest first
   * @param next what to give as {@code after} for the next page; absent on the last
   */
  public record Listed(List<RequestStatus> requests, String next) {}

  @GET
  @Operation(summary = "List accepted requests, newest first")
  public Uni<Listed> list(
      @QueryParam("state") Optional<String> state,
      @QueryParam("queue") Optional<String> queue,
      @QueryParam("group") Optional<String> group,
      @QueryParam("limit") @DefaultValue("100") String limit,
      @QueryParam("after") Optional<String> after) {
    Filter filter = new Filter(state.map(ListResource::state), queue, group);
    Optional<Place> place = after.map(ListResource::place);
    int most = limit(limit);
    return reads
        .ask(session -> RequestListing.page(session, filter, place, most))
        .map(
            page ->
                new Listed(page.requests(), page.last().map(ListResource::cursor).orElse(null)));
  }

  private static RequestState state(String name) {
    // Nothing is stored of what was refused.
    return Arrays.stream(RequestState.values())
        .filter(state -> state != RequestState.REJECTED)
        .filter(state -> state.name().equals(name.toUpperCase(Locale.ROOT)))
        .findFirst()
        .orElseThrow(
            () ->
                ApiException.badRequest(
                    "state",
                    name,
                    "one of WAITING, QUEUED, PLACED, RUNNING, SUCCEEDED, FAILED, CANCELLED"));
  }

  private static int limit(String text) {
    int limit = NUMBER.matcher(text).matches() ? Integer.parseInt(text) : 0;
    if (limit < 1 || limit > MOST) {
      throw ApiException.badRequest("limit", text, "1 to " + MOST);
    }
    return limit;
  }

  private static Place place(String cursor) {
    Matcher parts = CURSOR.matcher(cursor);
    if (!parts.matches()) {
      throw ApiException.badRequest("after", cursor, "what the page before gave as next");
    }
    return new Place(Long.parseLong(parts.group(1)), parts.group(2));
  }

  private static String cursor(Place place) {
    return place.seq() + "." + place.id();
  }
}
