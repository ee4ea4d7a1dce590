package io.stoker.dispatcher.service.postgres;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.scenario.Scene;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WrittenRowsTest {
  private static final Writer FIRST = new Writer("100", 1);

  private final Scene scene = new Scene();
  private final WrittenRows written = new WrittenRows();

  /** What places a request's job, with all of it new. */
  private UnitOfWork placed(String id) {
    scene.post(aRequest(id));
    scene.place(id, "host");
    UnitOfWork unit = new UnitOfWork(1);
    unit.putJob(scene.job(id));
    unit.attempts().put(scene.attempt(id));
    unit.requests().put(request(id));
    return unit;
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
    UnitOfWork unit = placed("a");
    UnitOfWork reading = new UnitOfWork(1);
    reading.requests().load(request("a"));
    unit.jobs().all().forEach(reading::putJob);
    unit.attempts().all().forEach(reading.attempts()::put);

    written.remember(reading, FIRST, Map.of("a", "42"));

    WrittenRows.Open open = written.find(jobs("a")).orElseThrow().rows().getFirst();
    assertThat(open.first().by()).isEqualTo("42");
    assertThat(open.attempt().by()).isEqualTo("100");
  }

  @Test
  void aRowOfAnUnknownWriterIsNotKnown() {
    UnitOfWork reading = new UnitOfWork(1);
    placed("a").jobs().all().forEach(reading::loadJob);
    reading.attempts().load(scene.attempt("a"));
    reading.requests().load(request("a"));

    written.remember(reading, FIRST, Map.of());

    assertThat(written.find(jobs("a"))).isEmpty();
  }

  @Test
  void aRowThatALaterTransactionChangedIsNotTakenForAnEarlierOnes() {
    UnitOfWork reading = new UnitOfWork(1);
    placed("a").jobs().all().forEach(reading::loadJob);
    reading.attempts().load(scene.attempt("a"));
    reading.requests().load(request("a"));
    UnitOfWork later = placed("a");
    later.attempts().put(scene.attempt("a").cancelled("over"));

    written.remember(later, new Writer("101", 1), Map.of());
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
    UnitOfWork unit = placed("a");
    written.remember(unit, FIRST, Map.of());

    unit.attempts().remove(scene.attempt("a").key());
    written.remember(unit, new Writer("101", 1), Map.of());

    assertThat(written.find(jobs("a"))).isEmpty();
  }

  @Test
  void whatIsSharedIsRead() {
    UnitOfWork unit = placed("a");
    unit.loadShared(jobs("a"));

    written.remember(unit, FIRST, Map.of());

    assertThat(written.find(jobs("a"))).isEmpty();
  }
}
