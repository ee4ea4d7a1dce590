package io.stoker.dispatcher.runtime;

import static io.stoker.dispatcher.runtime.TroubleBook.FIRST_PAUSE_MS;
import static io.stoker.dispatcher.runtime.TroubleBook.LONGEST_PAUSE_MS;
import static io.stoker.dispatcher.runtime.TroubleBook.RECENT_MS;
import static io.stoker.dispatcher.runtime.TroubleBook.TRIES;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** When something is set aside, and when it is tried again. */
class TroubleBookTest {
  private static final String STEP = "timers";
  private static final long NOW = 1_000_000;

  private final TroubleBook book = new TroubleBook();

  private Trouble fail(int times, long from) {
    Trouble last = null;
    for (int i = 0; i < times; i++) {
      last = book.failed(STEP, "bad", "because", from + i);
    }
    return last;
  }

  @Test
  void whereAllFailAlikeNothingIsSetAside() {
    Trouble last = fail(100, NOW);

    assertThat(last.tries()).isZero();
    assertThat(last.aside()).isFalse();
    assertThat(book.waiting(STEP, NOW)).isEmpty();
    assertThat(book.all(NOW)).containsExactly(last);
  }

  @Test
  void aNeighbourThatSucceedsMakesItsTriesCount() {
    book.succeeded(STEP, List.of("good"), NOW - RECENT_MS);

    assertThat(fail(TRIES - 1, NOW).aside()).isFalse();
    Trouble last = fail(1, NOW + TRIES);

    assertThat(last.tries()).isEqualTo(TRIES);
    assertThat(last.aside()).isTrue();
    assertThat(book.waiting(STEP, NOW + TRIES)).containsExactly("bad");
    assertThat(book.waiting("another", NOW + TRIES)).isEmpty();
  }

  @Test
  void aSuccessOfLongAgoOrOfAnotherStepTellsNothing() {
    book.succeeded(STEP, List.of("good"), NOW - RECENT_MS - 1);
    book.succeeded("another", List.of("good"), NOW);

    assertThat(fail(100, NOW).tries()).isZero();
  }

  @Test
  void aNeighbourThatComesLaterMakesTheNextTriesCount() {
    fail(100, NOW);
    book.succeeded(STEP, List.of("good"), NOW + 200);

    assertThat(fail(TRIES, NOW + 300).aside()).isTrue();
  }

  @Test
  void whatSucceedsIsForgotten() {
    book.succeeded(STEP, List.of("good"), NOW);
    fail(TRIES - 1, NOW);
    book.succeeded(STEP, List.of("bad"), NOW + 10);

    assertThat(book.all(NOW)).isEmpty();
    assertThat(fail(1, NOW + 20).tries()).isEqualTo(1);
  }

  @Test
  void whatIsSetAsideIsTriedMoreAndMoreSlowly() {
    book.succeeded(STEP, List.of("good"), NOW);
    long at = fail(TRIES, NOW).next();
    assertThat(at).isEqualTo(NOW + TRIES - 1 + FIRST_PAUSE_MS);
    assertThat(book.suspected(STEP, at - 1)).isEmpty();
    assertThat(book.suspected(STEP, at)).containsExactly("bad");
    assertThat(book.waiting(STEP, at)).isEmpty();

    assertThat(fail(1, at).next()).isEqualTo(at + 2 * FIRST_PAUSE_MS);
    assertThat(fail(20, at).next()).isLessThanOrEqualTo(at + 20 + LONGEST_PAUSE_MS);
  }

  @Test
  void whatIsNotTriedAnyMoreIsForgotten() {
    long at = fail(1, NOW).last();

    assertThat(book.all(at + 2 * LONGEST_PAUSE_MS)).hasSize(1);
    assertThat(book.all(at + 2 * LONGEST_PAUSE_MS + 1)).isEmpty();
  }

  @Test
  void aFullBookTriesWhatComesThenEachTime() {
    book.succeeded(STEP, List.of("good"), NOW);
    for (int i = 0; i < TroubleBook.MOST; i++) {
      book.failed(STEP, "item-" + i, "because", NOW);
    }

    assertThat(fail(100, NOW).aside()).isFalse();
    assertThat(book.all(NOW)).hasSize(TroubleBook.MOST);
  }
}
