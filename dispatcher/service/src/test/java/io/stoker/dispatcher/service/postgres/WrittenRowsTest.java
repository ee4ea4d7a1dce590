package io.stoker.dispatcher.service.postgres;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.dispatcher.ledger.JobRow;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.ledger.RequestRow;
import io.stoker.dispatcher.scenario.Scene;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WrittenRowsTest {
  private static final Writer FIRST = new Writer("100", 1);

  private final Scene scene = new Scene();
  private final WrittenRows written = new WrittenRows();

  /** What places a request's job, with all of it new. */
  private Ledger placed(String id) {
    scene.post(aRequest(id));
    scene.place(id, "host");
    Ledger ledger = new Ledger(1);
    ledger.putJob(scene.job(id));
    ledger.attempts().put(scene.attempt(id));
    ledger.requests().put(request(id));
    return ledger;
  }

  private RequestRow request(String id) {
    return scene.store().request(id);
  }

  private List<String> jobs(String... ids) {
    return List.of(ids).stream().map(scene::job).map(JobRow::id).toList();
  }

  @Test
  void rowsAreKnownWithWhoWroteThem() {
    written.remember(placed("a"), FIRST, Map.of());

    WrittenRows.Known known = written.find(jobs("a")).orElseThrow();

    assertThat(known.server()).isEqualTo(1);
    assertThat(known.rows().getFirst().job().row()).isEqualTo(scene.job("a"));
    assertThat(known.rows().getFirst().job().by()).isEqualTo("100");
  }

  @Test
  void aRowThatWasOnlyReadIsOfWhoWroteItBefore() {
    Ledger ledger = placed("a");
    Ledger reading = new Ledger(1);
    reading.requests().load(request("a"));
    ledger.jobs().all().forEach(reading::putJob);
    ledger.attempts().all().forEach(reading.attempts()::put);

    written.remember(reading, FIRST, Map.of("a", "42"));

    WrittenRows.Open open = written.find(jobs("a")).orElseThrow().rows().getFirst();
    assertThat(open.first().by()).isEqualTo("42");
    assertThat(open.attempt().by()).isEqualTo("100");
  }

  @Test
  void aRowOfAnUnknownWriterIsNotKnown() {
    Ledger reading = new Ledger(1);
    placed("a").jobs().all().forEach(reading::loadJob);
    reading.attempts().load(scene.attempt("a"));
    reading.requests().load(request("a"));

    written.remember(reading, FIRST, Map.of());

    assertThat(written.find(jobs("a"))).isEmpty();
  }

  @Test
  void allAreKnownOrNone() {
    written.remember(placed("a"), FIRST, Map.of());
    placed("b");

    assertThat(written.find(jobs("a", "b"))).isEmpty();
    assertThat(written.find(jobs("a"))).isPresent();
  }

  /** A standby that took over may not have the row, and have given its number to another one. */
  @Test
  void whatAnotherServerHadIsForgotten() {
    written.remember(placed("a"), FIRST, Map.of());

    written.remember(placed("b"), new Writer("7", 2), Map.of());

    assertThat(written.find(jobs("a"))).isEmpty();
    assertThat(written.find(jobs("b")).orElseThrow().server()).isEqualTo(2);
  }

  @Test
  void whatHasEndedIsForgotten() {
    Ledger ledger = placed("a");
    written.remember(ledger, FIRST, Map.of());

    ledger.attempts().remove(scene.attempt("a").key());
    written.remember(ledger, new Writer("101", 1), Map.of());

    assertThat(written.find(jobs("a"))).isEmpty();
  }

  @Test
  void whatIsSharedIsRead() {
    Ledger ledger = placed("a");
    ledger.loadShared(jobs("a"));

    written.remember(ledger, FIRST, Map.of());

    assertThat(written.find(jobs("a"))).isEmpty();
  }
}
