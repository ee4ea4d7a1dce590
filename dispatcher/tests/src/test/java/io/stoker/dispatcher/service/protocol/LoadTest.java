package io.stoker.dispatcher.service.protocol;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quarkus.test.junit.QuarkusTest;
import io.stoker.common.message.ToAgent;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.scenario.ARequest;
import io.stoker.dispatcher.service.testing.FakeAgent;
import io.stoker.dispatcher.service.testing.FakeAgent.Ending;
import io.stoker.dispatcher.service.testing.OnRealServices;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Many requests at once. */
@QuarkusTest
@OnRealServices
class LoadTest {
  private static final int MANY = 2000;

  private final Queue<ToAgent.Place> places = new ConcurrentLinkedQueue<>();
  private final String run = Site.unique("load");
  private Site site;
  private FakeAgent agent;

  @BeforeEach
  void open() {
    site = new Site();
    agent =
        FakeAgent.start(
            site.bootstrap(),
            site.topics(),
            run,
            16,
            place -> {
              places.add(place);
              return Optional.of(Ending.succeeded("1"));
            });
    await().atMost(TopicLog.PATIENCE).until(agent::welcomed);
  }

  @AfterEach
  void close() throws Exception {
    agent.close();
    // Its goodbye is lost if nobody schedules just then; no other test may wait for its slots.
    try (Connection connection = site.database()) {
      Site.update(connection, "update host set state = 'GONE' where id = ?", run);
    }
    site.close();
  }

  @Test
  void wideFanOut() throws SQLException {
    long deadlocks = deadlocks();
    ARequest[] dependents =
        IntStream.range(0, MANY)
            .mapToObj(i -> request("dependent-" + i).meaning(run).dependsOn(run + "-root"))
            .toArray(ARequest[]::new);
    site.post(dependents);
    site.post(request("root"));

    for (int i = 0; i < MANY; i++) {
      site.statuses().await(run + "-dependent-" + i, RequestState.SUCCEEDED);
    }

    assertThat(places).as("the root, and one job for all that depend on it").hasSize(2);
    await()
        .atMost(TopicLog.PATIENCE)
        .until(
            () ->
                site.query("select subject from fan_out where subject like ?", run + "%")
                    .isEmpty());
    assertThat(site.query("select dependent from dependency where dependent like ?", run + "%"))
        .isEmpty();
    assertThat(deadlocks() - deadlocks).as("deadlocks, each a second lost").isLessThan(3);
  }

  @Test
  void commitWhoseReplyWasLost() throws SQLException {
    int jobs = 300;
    for (int i = 0; i < jobs; i++) {
      site.post(request("job-" + i));
      if (i % 60 == 30) {
        site.query(
            "select pg_terminate_backend(pid) from pg_stat_activity where application_name ="
                + " 'stoker-dispatcher' and state <> 'idle'");
        site.query(
            "select pg_terminate_backend(pid) from (select pid from pg_stat_activity where"
                + " application_name = 'stoker-dispatcher' limit 4) p");
      }
    }

    for (int i = 0; i < jobs; i++) {
      site.statuses().await(run + "-job-" + i, RequestState.SUCCEEDED);
    }

    assertThat(places.stream().map(ToAgent.Place::job).distinct().count()).isEqualTo(jobs);
    assertThat(places).as("nothing ran twice").hasSize(jobs);
    assertThat(site.query("select count(*) from job where first_request like ?", run + "-job-%"))
        .containsExactly(String.valueOf(jobs));
    assertThat(site.query("select job from attempt where host = ?", run)).isEmpty();
    assertThat(site.statuses().last()).as("all that is on the topic now").isNotEmpty();
    // Who published an older status beside a newer one publishes the newer one once more.
    for (int i = 0; i < jobs; i++) {
      site.statuses().awaitLast(run + "-job-" + i, RequestState.SUCCEEDED);
    }
  }

  private ARequest request(String name) {
    return aRequest(run + "-" + name).resource("require", Map.of("only", run));
  }

  private long deadlocks() throws SQLException {
    String sql = "select deadlocks from pg_stat_database where datname = current_database()";
    return Long.parseLong(site.query(sql).get(0));
  }
}
