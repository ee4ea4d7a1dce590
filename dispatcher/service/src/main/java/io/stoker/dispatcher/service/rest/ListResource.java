package io.stoker.dispatcher.service.rest;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.smallrye.mutiny.Uni;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.common.text.PlainText;
import io.stoker.dispatcher.service.postgres.RequestListing;
import io.stoker.dispatcher.service.postgres.RequestListing.Column;
import io.stoker.dispatcher.service.postgres.RequestListing.Counts;
import io.stoker.dispatcher.service.postgres.RequestListing.Filter;
import io.stoker.dispatcher.service.postgres.RequestListing.Order;
import io.stoker.dispatcher.service.postgres.RequestListing.Page;
import io.stoker.dispatcher.service.postgres.RequestListing.Place;
import io.stoker.dispatcher.service.postgres.RequestListing.Sort;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.UriInfo;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.eclipse.microprofile.openapi.annotations.Operation;

/** Lists requests. */
@RolesAllowed(Rights.READ)
@Path("/requests")
@Produces(MediaType.APPLICATION_JSON)
public class ListResource {
  static final int MOST = 1000;
  private static final String PAGE = "100";

  /** That may be changed at once. */
  private static final String MANY = "500";

  /** Ms since 1970, in the year 5138: beyond all that is stored. */
  private static final long LATEST = 100_000_000_000_000L;

  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,4}");
  private static final Pattern CURSOR = Pattern.compile("([0-9]{1,18})[.](.{1,128})");

  private final Reads reads;
  private final Rights rights;

  ListResource(Reads reads, Rights rights) {
    this.reads = reads;
    this.rights = rights;
  }

  /**
   * A request's status, and what lists show beside it.
   *
   * @param user who posted it; absent if it does not say
   * @param command the beginning of its command in one line
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Entry(
      @JsonUnwrapped RequestStatus status, String user, String command, int priority) {
    static Entry of(RequestListing.Entry entry) {
      return new Entry(
          entry.status(),
          PlainText.of(entry.user()),
          PlainText.of(entry.command()),
          entry.priority());
    }
  }

  /**
   * A page of requests.
   *
   * @param requests newest first, or as {@code sort} says; where few of many are wanted, fewer than
   *     asked for or none, though more may follow
   * @param grouped with {@code by}; absent without
   * @param next what to give as {@code after} for the next page; absent on the last
   * @param fit where it is sorted by another column than {@code posted}: how many of those that
   *     were looked at fit, of which these are the first; absent elsewhere
   * @param looked where it is sorted so or has fewer than asked for, and more may follow: how many
   *     were looked at
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Listed(
      List<Entry> requests, String next, Grouped grouped, Long fit, Integer looked) {
    static Listed of(Page page) {
      return new Listed(
          page.requests().stream().map(Entry::of).toList(),
          page.last().map(ListResource::cursor).orElse(null),
          null,
          page.fit().isPresent() ? Long.valueOf(page.fit().getAsLong()) : null,
          page.looked().isPresent() ? Integer.valueOf(page.looked().getAsInt()) : null);
    }
  }

  /**
   * Requests counted by a column, in place of a list of them.
   *
   * @param by the column
   * @param counts the most first, at most 200
   * @param more whether there are other values
   * @param whole whether all were looked at, and not the newest alone
   * @param looked how many were; absent if all
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Grouped(
      String by, List<Counted> counts, boolean more, boolean whole, Integer looked) {}

  /**
   * So many have this.
   *
   * @param value absent of those that have none
   * @param newest id of the newest of them
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Counted(String value, long count, String newest) {}

  /** Its parameters are read by {@link #listed}. */
  @GET
  @Operation(summary = "List accepted requests, newest first")
  public Uni<Listed> list(
      @QueryParam("state") String state,
      @QueryParam("queue") String queue,
      @QueryParam("group") String group,
      @QueryParam("host") String host,
      @QueryParam("user") String user,
      @QueryParam("label") List<String> labels,
      @QueryParam("prefix") String prefix,
      @QueryParam("kind") String kind,
      @QueryParam("text") String text,
      @QueryParam("code") String code,
      @QueryParam("failing") boolean failing,
      @QueryParam("since") String since,
      @QueryParam("until") String until,
      @QueryParam("endedSince") String endedSince,
      @QueryParam("sort") String sort,
      @QueryParam("limit") @DefaultValue(PAGE) String limit,
      @QueryParam("many") String many,
      @QueryParam("after") String after,
      @QueryParam("by") String by,
      @Context UriInfo address) {
    return listed(address.getQueryParameters());
  }

  /**
   * Those that fit.
   *
   * @param query parameters as {@link #list} names them, of each its first value but of labels all
   */
  public Uni<Listed> listed(Map<String, List<String>> query) {
    Function<String, Optional<String>> said =
        name -> query.getOrDefault(name, List.of()).stream().findFirst();
    Filter filter = filter(query, said);
    Optional<Place> place = said.apply("after").map(ListResource::place);
    String page = said.apply("many").isPresent() ? MANY : PAGE;
    int most = limit(said.apply("limit").orElse(page));
    Order order = said.apply("sort").map(ListResource::order).orElse(Order.NEWEST_FIRST);
    Optional<String> by = said.apply("by");
    if (by.isPresent()) {
      Column column = column(by.get());
      return reads
          .ask(session -> RequestListing.counts(session, filter, column))
          .map(counts -> new Listed(List.of(), null, grouped(by.get(), counts), null, null));
    }
    return reads
        .ask(session -> RequestListing.page(session, filter, order, place, most))
        .map(Listed::of);
  }

  private Filter filter(Map<String, List<String>> query, Function<String, Optional<String>> said) {
    return new Filter(
        said.apply("state").map(ListResource::states).orElse(Set.of()),
        rights.queues(said.apply("queue")),
        said.apply("group"),
        said.apply("host"),
        said.apply("user"),
        labels(query.getOrDefault("label", List.of())),
        said.apply("prefix"),
        said.apply("kind"),
        said.apply("text"),
        said.apply("since").map(when -> time("since", when)),
        said.apply("until").map(when -> time("until", when)),
        said.apply("endedSince").map(when -> time("endedSince", when)),
        said.apply("code").map(ListResource::code),
        said.apply("failing").filter(Boolean::parseBoolean).isPresent());
  }

  private static Code code(String name) {
    return Arrays.stream(Code.values())
        .filter(code -> code.name().equals(name.toUpperCase(Locale.ROOT)))
        .findFirst()
        .orElseThrow(
            () -> ApiException.badRequest("code", name, "a code of a status such as APP_FAILURE"));
  }

  private static Order order(String text) {
    boolean descending = text.startsWith("-");
    String name = descending ? text.substring(1) : text;
    return Arrays.stream(Sort.values())
        .filter(one -> one.name().toLowerCase(Locale.ROOT).equals(name))
        .findFirst()
        .map(sort -> new Order(sort, descending))
        .orElseThrow(
            () ->
                ApiException.badRequest(
                    "sort",
                    text,
                    "posted, started, ended, duration, attempts or priority, with - before it for"
                        + " the largest first"));
  }

  private static Column column(String name) {
    return Arrays.stream(Column.values())
        .filter(one -> one.name().toLowerCase(Locale.ROOT).equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                ApiException.badRequest(
                    "by", name, "state, queue, group, kind, host, user or code"));
  }

  private static Grouped grouped(String by, Counts counts) {
    return new Grouped(
        by,
        counts.counts().stream()
            .map(one -> new Counted(PlainText.of(one.value()), one.count(), one.newest()))
            .toList(),
        counts.more(),
        counts.whole(),
        counts.whole() ? null : Integer.valueOf(counts.looked()));
  }

  private static Set<RequestState> states(String names) {
    return Arrays.stream(names.split(",", -1))
        .map(String::strip)
        .map(ListResource::state)
        .collect(Collectors.toCollection(() -> EnumSet.noneOf(RequestState.class)));
  }

  private static RequestState state(String name) {
    // Nothing is stored of what was refused: the dead letters have it.
    return Arrays.stream(RequestState.values())
        .filter(state -> state != RequestState.REJECTED)
        .filter(state -> state.name().equals(name.toUpperCase(Locale.ROOT)))
        .findFirst()
        .orElseThrow(
            () ->
                ApiException.badRequest(
                    "state",
                    name,
                    "one or more of WAITING, QUEUED, PLACED, RUNNING, SUCCEEDED, FAILED, CANCELLED,"
                        + " with commas"));
  }

  private static Map<String, String> labels(List<String> asked) {
    Map<String, String> labels = new LinkedHashMap<>();
    for (String label : asked) {
      int cut = label.indexOf('=');
      if (cut < 1) {
        throw ApiException.badRequest("label", label, "NAME=VALUE");
      }
      labels.put(label.substring(0, cut), label.substring(cut + 1));
    }
    return labels;
  }

  /**
   * A moment that a parameter names, ms since 1970.
   *
   * @throws ApiException 400
   */
  public static long time(String name, String text) {
    try {
      long ms = Instant.parse(text).toEpochMilli();
      if (ms >= 0 && ms < LATEST) {
        return ms;
      }
    } catch (DateTimeParseException e) {
      // answered below
    }
    throw ApiException.badRequest(name, text, "a time in ISO 8601 such as 2026-01-31T12:00:00Z");
  }

  /**
   * How many a page may have.
   *
   * @throws ApiException 400
   */
  static int limit(String text) {
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
