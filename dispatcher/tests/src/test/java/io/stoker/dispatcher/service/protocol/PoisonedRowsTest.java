package io.stoker.dispatcher.service.protocol;

import static io.restassured.RestAssured.given;
import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.test.junit.QuarkusTest;
import io.stoker.common.message.HostMessage.Heartbeat;
import io.stoker.common.message.HostMessage.Hello;
import io.stoker.common.message.HostMessage.HostResources;
import io.stoker.common.message.HostMessage.Reserved;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.message.ToAgent;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.scenario.ARequest;
import io.stoker.dispatcher.service.testing.OnRealServices;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * A stored row of each kind that cannot be read, or that a step fails for: its neighbour goes on,
 * and who waits for it is told.
 */
@QuarkusTest
@OnRealServices
class PoisonedRowsTest extends WithHandAgent {
  /** What no build has ever accepted. */
  private static final String NO_REQUEST = "{\"id\":1}";

  private final String poisoned = Site.unique("poisoned");
  private final String neighbour = Site.unique("neighbour");

  @Test
  void aTimerWhoseRequestCannotBeRead() throws SQLException {
    String first = Site.unique("first");
    String meaning = Site.unique("meaning");
    site.post(here(first).meaning(meaning));
    agent.run(agent.awaitPlace(first, 1));
    site.statuses().await(first, RequestState.RUNNING);
    site.post(here(poisoned).meaning(meaning).with("timeout", "1h"));
    site.statuses().awaitThat(poisoned, RequestStatus::shared);
    poison(poisoned);
    update("update timer set due_at = due_at - 3600000 where request = ?", poisoned);
    site.post(nowhere(neighbour).with("queueTimeout", "1s"));

    RequestStatus told = site.statuses().await(neighbour, RequestState.FAILED);
    assertThat(told.code()).isEqualTo(Code.QUEUE_TIMEOUT);
    awaitGivenUp(() -> site.post(nowhere(Site.unique("more")).with("queueTimeout", "1s")));
    assertThat(site.statuses().of(first).getLast().state()).isEqualTo(RequestState.RUNNING);
  }

  @Test
  void aDependentThatCannotBeRead() throws SQLException {
    String input = Site.unique("input");
    site.post(here(input), nowhere(poisoned).dependsOn(input), here(neighbour).dependsOn(input));
    site.statuses().await(poisoned, RequestState.WAITING);
    site.statuses().await(neighbour, RequestState.WAITING);
    poison(poisoned);

    agent.succeed(agent.awaitPlace(input, 1));

    agent.succeed(agent.awaitPlace(neighbour, 1));
    awaitGivenUp(() -> {});
    TopicLog.until("the fan-outs of " + input, () -> none("fan_out", "subject", input));
  }

  @Test
  void aJobWhoseRequestCannotBeRead() throws SQLException {
    site.post(nowhere(poisoned));
    site.statuses().await(poisoned, RequestState.QUEUED);
    poison(poisoned);
    update(
        "update ready set shape = replace(shape, 'nowhere', ?) where job = (select job from request"
            + " where id = ?)",
        host,
        poisoned);
    site.post(here(neighbour));

    ToAgent.Place place = agent.awaitPlace(neighbour, 1);
    agent.succeed(place);
    awaitGivenUp(
        () -> {
          String more = Site.unique("more");
          site.post(here(more));
          agent.succeed(agent.awaitPlace(more, 1));
        });
  }

  @Test
  void jobsThatCannotBeReadLeaveTheOnlySlotToWhoIsBehindThem() throws SQLException {
    String small = Site.unique("small");
    List<String> unread = List.of(poisoned, Site.unique("second"), Site.unique("third"));
    try (HandAgent single = HandAgent.start(site, small, small, 1)) {
      for (String id : unread) {
        site.post(nowhere(id));
        site.statuses().await(id, RequestState.QUEUED);
        poison(id);
      }
      for (String id : unread) {
        update(
            "update ready set shape = replace(shape, 'nowhere', ?) where job = (select job from"
                + " request where id = ?)",
            small,
            id);
      }
      site.post(nowhere(neighbour).resource("require", Map.of("only", small)));

      ToAgent.Place place = single.awaitPlace(neighbour, 1);
      assertThat(openAttempts(unread)).isZero();
      single.succeed(place);

      for (String id : unread) {
        RequestStatus told = site.statuses().await(id, RequestState.FAILED);
        assertThat(told.code()).isEqualTo(Code.SET_ASIDE);
        assertThat(told.attempt()).as("of %s", id).isNull();
      }
    }
  }

  @Test
  void aJobInLineWhoseShapeCannotBeRead() throws SQLException {
    site.post(nowhere(poisoned));
    site.statuses().await(poisoned, RequestState.QUEUED);
    update(
        "update ready set shape = '{' where job = (select job from request where id = ?)",
        poisoned);
    site.post(here(neighbour));

    agent.succeed(agent.awaitPlace(neighbour, 1));
    awaitGivenUp(() -> {});
  }

  @Test
  void aJobWhoseColumnsCannotBeReadIsEndedAsAnyOther() throws SQLException {
    site.post(here(poisoned));
    ToAgent.Place place = agent.awaitPlace(poisoned, 1);
    agent.run(place);
    site.statuses().await(poisoned, RequestState.RUNNING);
    update(
        "update job set policy = '{', failures = '{\"NEW\":1}', avoid = '[', usage = '{', code ="
            + " 'NEW' where id = ?",
        place.job());
    update("update attempt set preempted = '{', answer = '[' where job = ?", place.job());

    agent.succeed(place);

    site.statuses().await(poisoned, RequestState.SUCCEEDED);
  }

  @Test
  void aHostOfWhichNothingCanBeRead() throws SQLException {
    String other = Site.unique("other");
    try (HandAgent beside = HandAgent.start(site, other)) {
      update(
          "update host set resources = '{', settings = '[', drain = '{', losses = '{' where id = ?",
          other);
      site.post(here(neighbour));

      agent.succeed(agent.awaitPlace(neighbour, 1));
      beside.hello("again");
    }
  }

  @Test
  void aHostWhoseTopicCannotBeMade() {
    String impossible = "h".repeat(300);
    site.send(
        site.topics().heartbeats(),
        new Hello(
            impossible,
            "nonce",
            "journal",
            "default",
            "test",
            "boot",
            new HostResources(List.of(), 1, Map.of(), "none"),
            List.of()));
    site.send(
        site.topics().heartbeats(),
        new Heartbeat(host, 1, 1, 1, 1, null, new Reserved(0, 0), List.of()));

    try (HandAgent beside = HandAgent.start(site, Site.unique("after"))) {
      site.post(nowhere(neighbour).resource("require", Map.of("only", beside.host())));
      beside.succeed(beside.awaitPlace(neighbour, 1));
    }
  }

  @Test
  void whatIsFoldedAndCannotBe() throws SQLException {
    update(
        "create function refuse_usage() returns trigger language plpgsql as $$ begin raise"
            + " exception 'poisoned usage' using errcode = 'data_exception'; end $$");
    update(
        "create trigger refuse_usage before insert or update on queue_usage for each row when"
            + " (new.queue = 'lab') execute function refuse_usage()");
    try {
      String group = Site.unique("group");
      site.post(here(poisoned).queue("lab"), here(neighbour).with("group", group));
      agent.succeed(agent.awaitPlace(poisoned, 1));
      agent.succeed(agent.awaitPlace(neighbour, 1));
      site.statuses().await(poisoned, RequestState.SUCCEEDED);
      site.statuses().await(neighbour, RequestState.SUCCEEDED);

      TopicLog.until("the usage of the others", () -> none("usage_entry", "queue", "default"));
      assertThat(none("usage_entry", "queue", "lab")).isFalse();
      TopicLog.until("the counts of " + group, () -> none("group_entry", "grp", group));
      TopicLog.until("the step that fails", () -> setAside().contains("poisoned usage"));
    } finally {
      update("drop trigger refuse_usage on queue_usage");
      update("drop function refuse_usage()");
    }
  }

  private int openAttempts(List<String> requests) throws SQLException {
    int open = 0;
    for (String request : requests) {
      String sql = "select 1 from attempt a join request r on r.job = a.job where r.id = ?";
      open += site.query(sql, request).size();
    }
    return open;
  }

  private static String setAside() {
    return given().get("/set-aside").then().statusCode(200).extract().asString();
  }

  /**
   * Waits for the coded end.
   *
   * @param goOn what shows that the step works for others
   */
  private void awaitGivenUp(Runnable goOn) {
    goOn.run();
    RequestStatus told = site.statuses().await(poisoned, RequestState.FAILED);
    assertThat(told.code()).isEqualTo(Code.SET_ASIDE);
    assertThat(told.reason()).contains("failed for it each time");
    TopicLog.until("it is shown", () -> setAside().contains("\"how\":\"ENDED\""));
  }

  private void poison(String request) throws SQLException {
    update("update request set spec = ? where id = ?", NO_REQUEST, request);
  }

  private void update(String sql, Object... parameters) throws SQLException {
    try (Connection connection = site.database()) {
      Site.update(connection, sql, parameters);
    }
  }

  private boolean none(String table, String column, String value) {
    try {
      return site.query("select 1 from " + table + " where " + column + " = ?", value).isEmpty();
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  private ARequest here(String id) {
    return aRequest(id).resource("require", Map.of("only", host));
  }

  private static ARequest nowhere(String id) {
    return aRequest(id).resource("require", Map.of("only", "nowhere"));
  }
}
