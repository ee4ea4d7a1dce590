package io.stoker.dispatcher.dependency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.stoker.dispatcher.ledger.FanOutRow;
import io.stoker.dispatcher.ledger.FanOutRow.Kind;
import io.stoker.dispatcher.ledger.Ledger;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FanOutTest {
  private static final int CHUNK = 3;

  private final Ledger ledger = new Ledger(1);

  @Test
  void settledDependentsFanOutOnlyWhereSomebodyDependsOnThem() {
    List.of("b", "c", "subject").forEach(id -> ledger.fanOut(Kind.DEPENDENTS, id));
    ledger.fanOut(Kind.SHARERS, "b");

    FanOut.prune(ledger, Set.of("a", "b", "c"), List.of("c"));

    assertThat(ledger.fanOuts().all())
        .extracting(FanOutRow::kind, FanOutRow::subject)
        .containsExactlyInAnyOrder(
            tuple(Kind.DEPENDENTS, "c"),
            tuple(Kind.DEPENDENTS, "subject"),
            tuple(Kind.SHARERS, "b"));
  }

  @Test
  void sharersAreOwedTheirStatusesChunkByChunk() {
    FanOutRow start = new FanOutRow(Kind.SHARERS, "job", "");
    ledger.fanOuts().load(start);

    FanOut.owe(ledger, start, ids(0, CHUNK), CHUNK);

    assertThat(ledger.due()).containsExactly("r0", "r1", "r2");
    assertThat(ledger.fanOuts().all()).containsExactly(new FanOutRow(Kind.SHARERS, "job", "r2"));
  }

  @Test
  void aChunkThatIsNotFullIsTheLast() {
    FanOutRow row = new FanOutRow(Kind.SHARERS, "job", "r2");
    ledger.fanOuts().load(row);

    FanOut.owe(ledger, row, ids(3, CHUNK - 1), CHUNK);

    assertThat(ledger.due()).containsExactly("r3", "r4");
    assertThat(ledger.fanOuts().all()).isEmpty();
  }

  private static List<String> ids(int from, int count) {
    return IntStream.range(from, from + count).mapToObj(i -> "r" + i).toList();
  }
}
