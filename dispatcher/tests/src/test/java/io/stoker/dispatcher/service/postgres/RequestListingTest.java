package io.stoker.dispatcher.service.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.service.postgres.RequestListing.Column;
import io.stoker.dispatcher.service.postgres.RequestListing.Count;
import io.stoker.dispatcher.service.postgres.RequestListing.Counts;
import io.stoker.dispatcher.service.postgres.RequestListing.Entry;
import io.stoker.dispatcher.service.postgres.RequestListing.Filter;
import io.stoker.dispatcher.service.postgres.RequestListing.Order;
import io.stoker.dispatcher.service.postgres.RequestListing.Page;
import io.stoker.dispatcher.service.postgres.RequestListing.Place;
import io.stoker.dispatcher.service.postgres.RequestListing.Sort;
import io.stoker.dispatcher.service.testing.OnRealServices;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A list and its counts are the same whether all is looked through at once or, on a slow machine,
 * part by part: nothing is left out at the seams, nothing is counted twice, and what was not looked
 * at is said.
 */
@QuarkusTest
@OnRealServices
class RequestListingTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final int ALL = 6_001;
  private static final int USERS = 3;
  private static final int PRIORITIES = 7;
  private static final int LIMIT = 400;

  @Inject Database database;

  private final String group = "listed-" + UUID.randomUUID();

  /** The first one is somebody's who has no other; some are nobody's. */
  @BeforeEach
  void insert() {
    String sql =
        """
        insert into request (id, seq, version, spec, queue, grp, ended, reason)
        select :grp || lpad(cast(n as text), 5, '0'), n / 2, 1,
          '{"command":["true"],"priority":' || n % :priorities
            || case when n = 2 then ',"user":"rare"' when n % :users = 0 then ''
              else ',"user":"u' || n % :users || '"' end || '}',
          'q', :grp, case when n % 2 = 0 then 'CANCELLED' else 'FAILED' end, 'why ' || n
        from generate_series(2, :most) n
        """;
    in(
        session ->
            Queries.execute(
                session,
                sql,
                Map.of("grp", group, "priorities", PRIORITIES, "users", USERS, "most", ALL + 1)));
  }

  @AfterEach
  void remove() {
    in(
        session ->
            Queries.execute(session, "delete from request where grp = :grp", Map.of("grp", group)));
  }

  private <T> T in(Function<StatelessSession, Uni<T>> work) {
    return database.transaction(work).await().atMost(SOON);
  }

  private Filter filter(Set<RequestState> states, String user, String text) {
    return new Filter(
        states,
        Set.of(),
        Optional.of(group),
        Optional.empty(),
        Optional.ofNullable(user),
        Map.of(),
        Optional.empty(),
        Optional.empty(),
        Optional.ofNullable(text),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        false);
  }

  /** All pages of a list, one behind the other. */
  private List<Page> pages(Filter filter, Order order) {
    List<Page> pages = new ArrayList<>();
    Optional<Place> after = Optional.empty();
    do {
      Optional<Place> from = after;
      pages.add(in(session -> RequestListing.page(session, filter, order, from, LIMIT)));
      after = pages.getLast().last();
    } while (after.isPresent());
    return pages;
  }

  private static List<String> ids(List<Page> pages) {
    return pages.stream()
        .flatMap(page -> page.requests().stream())
        .map(entry -> entry.status().id())
        .toList();
  }

  private String id(int number) {
    return group + "%05d".formatted(number);
  }

  @Test
  void whatFitsIsFoundPageByPageFromEitherEnd() {
    Filter failed = filter(Set.of(RequestState.FAILED), null, null);
    List<String> newest = ids(pages(failed, Order.NEWEST_FIRST));
    List<String> oldest = ids(pages(failed, new Order(Sort.POSTED, false)));

    assertThat(newest).hasSize(ALL / 2).doesNotHaveDuplicates().startsWith(id(ALL));
    assertThat(oldest).isEqualTo(newest.reversed());
  }

  @Test
  void theOldestIsFound_andEachPageBeforeItSaysHowFarItLooked() {
    for (Filter rare : List.of(filter(Set.of(), "rare", null), filter(Set.of(), null, "WHY 2 "))) {
      List<Page> pages = pages(rare, Order.NEWEST_FIRST);

      assertThat(ids(pages)).containsExactly(id(2));
      assertThat(pages.subList(0, pages.size() - 1))
          .allMatch(page -> page.looked().orElse(0) >= RequestSearch.LOOKED_AT / 4);
      assertThat(pages.getLast().looked()).isEmpty();
    }
  }

  @Test
  void countsAreOfAll_orSayOfHowMany() {
    Counts counts =
        in(session -> RequestListing.counts(session, filter(Set.of(), null, null), Column.USER));

    long counted = counts.counts().stream().mapToLong(Count::count).sum();
    assertThat(counted).isEqualTo(counts.whole() ? ALL : counts.looked());
    assertThat(counts.counts())
        .extracting(Count::count)
        .isSortedAccordingTo((a, b) -> Long.compare(b, a));
    assertThat(counts.counts())
        .filteredOn(one -> ("u" + ALL % USERS).equals(one.value()))
        .extracting(Count::newest)
        .containsExactly(id(ALL));
    if (counts.whole()) {
      assertThat(counts.counts()).contains(new Count("rare", 1, id(2)));
    }
  }

  @Test
  void whoHasNoneOfWhatIsAskedForDoesNotFit() {
    String user = "u" + ALL % USERS;
    Counts counts =
        in(session -> RequestListing.counts(session, filter(Set.of(), user, null), Column.QUEUE));

    assertThat(counts.counts()).extracting(Count::value).containsExactly("q");
    assertThat(counts.counts().getFirst().newest()).isEqualTo(id(ALL));
  }

  @Test
  void countsAreOfThoseThatFit() {
    Filter failed = filter(Set.of(RequestState.FAILED), null, null);
    Counts counts = in(session -> RequestListing.counts(session, failed, Column.STATE));

    assertThat(counts.counts())
        .containsExactly(
            new Count("FAILED", counts.whole() ? ALL / 2 : counts.looked() / 2, id(ALL)));
  }

  @Test
  void theFirstByAnotherColumnAreThoseOfAllThatWereLookedAt() {
    Filter cancelled = filter(Set.of(RequestState.CANCELLED), null, null);
    List<Page> pages = pages(cancelled, new Order(Sort.PRIORITY, true));

    assertThat(pages.stream().mapToLong(page -> page.fit().orElseThrow()).sum())
        .isEqualTo(ALL - ALL / 2);
    for (Page page : pages) {
      assertThat(page.requests())
          .hasSizeLessThanOrEqualTo(LIMIT)
          .extracting(Entry::priority)
          .isSortedAccordingTo((a, b) -> b - a);
    }
    assertThat(pages.getFirst().requests().getFirst().priority()).isEqualTo(PRIORITIES - 1);
    assertThat(ids(pages)).doesNotHaveDuplicates();
  }
}
