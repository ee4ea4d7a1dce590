package io.stoker.dispatcher.service.protocol;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.quarkus.test.junit.QuarkusTest;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.message.ToAgent;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.model.Arrival;
import io.stoker.dispatcher.scenario.ARequest;
import io.stoker.dispatcher.service.testing.OnRealServices;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The clock by which all is due is set by an hour. That of the machine is not for a test to set; to
 * all that reads it, its correction being changed by somebody else is the same.
 */
@QuarkusTest
@OnRealServices
class ClockStepTest extends WithHandAgent {
  private static final long HOUR = 3_600_000;
  private static final long SOME = 60_000;

  private long before;

  @BeforeEach
  void itIsLookedAtAsItIs() throws SQLException {
    site.post(here("first-" + host));
    agent.succeed(agent.awaitPlace("first-" + host, 1));
    before = correction();
  }

  @AfterEach
  void asItWas() throws SQLException {
    step(before - correction());
  }

  @Test
  void setBackItDelaysNothing() throws SQLException {
    String waits = Site.unique("waits");
    site.post(nowhere(waits).with("queueTimeout", "3s"));
    site.statuses().await(waits, RequestState.QUEUED);

    step(-HOUR);

    RequestStatus told = site.statuses().await(waits, RequestState.FAILED);
    assertThat(told.code()).isEqualTo(Code.QUEUE_TIMEOUT);
    // On a slow machine its time was up before the clock was set.
    TopicLog.until("the correction", this::corrected);
  }

  @Test
  void setForwardItEndsNothing() throws SQLException {
    String waits = Site.unique("waits");
    String next = Site.unique("next");
    site.post(nowhere(waits).with("queueTimeout", "30m"));
    site.statuses().await(waits, RequestState.QUEUED);

    step(HOUR);

    TopicLog.until("the correction", this::corrected);
    site.post(here(next));
    ToAgent.Place place = agent.awaitPlace(next, 1);
    agent.succeed(place);
    site.statuses().await(next, RequestState.SUCCEEDED);
    assertThat(site.statuses().of(waits).getLast().state()).isEqualTo(RequestState.QUEUED);
  }

  @Test
  void whatCameWhileItWasAheadIsDueInTime() throws SQLException {
    String came = Site.unique("came");
    site.post(nowhere(came).with("queueTimeout", "30m"));
    site.statuses().await(came, RequestState.QUEUED);
    long due = dueAt(came);

    step(
        HOUR,
        connection -> {
          Site.update(
              connection,
              "update request set seq = seq + ? where id = '" + came + "'",
              HOUR * Arrival.PER_MS);
          Site.update(
              connection,
              "update timer set due_at = due_at + ? where request = '" + came + "'",
              HOUR);
        });

    TopicLog.until("the correction", this::corrected);
    assertThat(dueAt(came)).isCloseTo(due, within(SOME));
  }

  private long dueAt(String request) throws SQLException {
    String asked = "select due_at from timer where request = '%s'".formatted(request);
    return Long.parseLong(site.query(asked).getFirst());
  }

  private boolean corrected() {
    try {
      return Math.abs(correction() - before) < SOME;
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  /** Between two beats: whoever schedules waits with its next one until the clock is set. */
  private void step(long byMs) throws SQLException {
    step(byMs, connection -> {});
  }

  private interface Change {
    void in(Connection connection) throws SQLException;
  }

  /** The same, and in the same transaction what came while it was so. */
  private void step(long byMs, Change meanwhile) throws SQLException {
    try (Connection connection = site.database()) {
      connection.setAutoCommit(false);
      Site.query(connection, "select name from fleet for update");
      TopicLog.until("the next beat", this::beatWaits);
      Site.update(connection, "update clock set correction_ms = correction_ms + ?", byMs);
      meanwhile.in(connection);
      connection.commit();
    }
  }

  private boolean beatWaits() {
    try {
      String waiting =
          "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like"
              + " '%insert into fleet%'";
      return !site.query(waiting).isEmpty();
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  private long correction() throws SQLException {
    return Long.parseLong(site.query("select correction_ms from clock").getFirst());
  }

  private ARequest here(String id) {
    return aRequest(id).resource("require", Map.of("only", host));
  }

  private static ARequest nowhere(String id) {
    return aRequest(id).resource("require", Map.of("only", "nowhere"));
  }
}
