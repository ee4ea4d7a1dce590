package io.stoker.dispatcher.service.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.dispatcher.service.page.JobsQuery.Sorting;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JobsQueryTest {
  private static Sorting by(JobsQuery query, String name) {
    return query.sortings().stream().filter(one -> one.name().equals(name)).findAny().orElseThrow();
  }

  @Test
  void sortings_ofAList_leadToItTheLargestFirstAndThenTheOtherWayRound() {
    JobsQuery plain = JobsQuery.of(Map.of("queue", List.of("a b"), "after", List.of("1.x")));
    assertThat(by(plain, "posted"))
        .isEqualTo(new Sorting("posted", "/requests?queue=a%20b&sort=posted", "descending"));
    assertThat(by(plain, "attempts"))
        .isEqualTo(new Sorting("attempts", "/requests?queue=a%20b&sort=-attempts", null));
    JobsQuery sorted = JobsQuery.of(Map.of("sort", List.of("-attempts")));
    assertThat(by(sorted, "attempts"))
        .isEqualTo(new Sorting("attempts", "/requests?sort=attempts", "descending"));
    assertThat(by(sorted, "posted")).isEqualTo(new Sorting("posted", "/requests", null));
    JobsQuery oldest = JobsQuery.of(Map.of("sort", List.of("posted")));
    assertThat(by(oldest, "posted")).isEqualTo(new Sorting("posted", "/requests", "ascending"));
  }

  @Test
  void filters_areThoseThatSayWhichAndNotHowTheyAreShown() {
    assertThat(JobsQuery.of(Map.of("sort", List.of("ended"), "limit", List.of("5"))).filters())
        .isFalse();
    assertThat(JobsQuery.of(Map.of("failing", List.of("true"))).filters()).isTrue();
  }

  @Test
  void longer_ofAPage_keepsItsPlaceAndShowsMoreOfIt() {
    JobsQuery query = JobsQuery.of(Map.of("sort", List.of("ended"), "after", List.of("7.id")));
    assertThat(query.longer()).isEqualTo("/requests?limit=1000&sort=ended&after=7.id");
  }

  @Test
  void labels_areAllAndRoomForAnother() {
    assertThat(JobsQuery.of(Map.of("label", List.of("a=1", "b=2"))).labels())
        .containsExactly("a=1", "b=2", "");
    assertThat(JobsQuery.of(Map.of()).labels()).containsExactly("");
  }

  @Test
  void times_ofAField_areThoseOfUtc() {
    JobsQuery entered =
        JobsQuery.of(
            Map.of("since", List.of("2026-01-31T12:00"), "until", List.of("2026-02-31T12:00")));
    assertThat(entered.value("since")).isEqualTo("2026-01-31T12:00:00Z");
    assertThat(entered.time("since")).isEqualTo("2026-01-31T12:00");
    // What is no time is refused by its own text.
    assertThat(entered.value("until")).isEqualTo("2026-02-31T12:00");
    assertThat(entered.time("endedSince")).isEmpty();
  }
}
