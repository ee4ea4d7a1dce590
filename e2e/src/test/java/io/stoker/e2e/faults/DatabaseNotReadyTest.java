package io.stoker.e2e.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.stoker.cli.rest.Access;
import io.stoker.cli.rest.RestClient;
import io.stoker.cli.stack.StackOptions;
import io.stoker.cli.stack.child.Child;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.stack.BesideTheSharedStack;
import io.stoker.e2e.stack.CommandLine;
import io.stoker.e2e.stack.Posted;
import io.stoker.e2e.stack.StatusLog;
import io.stoker.e2e.stack.StokerStack;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A database that is there and does not serve: nothing is refused, and it says what to do. */
@Timeout(1_200)
@BesideTheSharedStack
@TestInstance(Lifecycle.PER_CLASS)
@ResourceLock("DatabaseNotReadyTest") // one test after the other
class DatabaseNotReadyTest {
  private static final Duration PATIENCE = StatusLog.PATIENCE.multipliedBy(2);
  private static final int JOBS = 20;

  /** A version that no migration has. */
  private static final String ASIDE = "0.0.1";

  @TempDir static Path folder;

  private StokerStack stack;
  private Child dispatcher;
  private int posted;

  @BeforeAll
  void start() throws Exception {
    stack =
        StokerStack.start(
            "database-not-ready",
            StackOptions.DEFAULT.withAgentEnvironment(StokerStack.WITHOUT_GPUS));
    dispatcher = stack.processes().child("dispatcher-1");
  }

  @AfterAll
  void stop() throws IOException {
    stack.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"request", "job", "ready", "attempt", "due_status"})
  void whileATableIsAway_requestsWait(String table) throws Exception {
    List<String> before = post();
    stack.database().change("alter table %s rename to %s_away".formatted(table, table));
    List<String> meanwhile;
    try {
      meanwhile = post();
      awaitProblem(table);
    } finally {
      stack.database().change("alter table %s_away rename to %s".formatted(table, table));
    }
    assertAllSucceed(before);
    assertAllSucceed(meanwhile);
    stack.processes().awaitServing(dispatcher, PATIENCE);
  }

  @Test
  void startedOnADatabaseThatIsNotMigrated_itTakesNothing_andGoesOnOnceItIs() throws Exception {
    assertAllSucceed(post());
    stack.database().change("alter schema public rename to away");
    stack.database().change("create schema public");
    List<String> meanwhile;
    try {
      dispatcher.restart();
      meanwhile = post();
      awaitProblem("stoker migrate");
      CommandLine doctor = new CommandLine(folder, stack);
      assertThat(doctor.exitCode("doctor")).isEqualTo(1);
      assertThat(Files.readString(doctor.out())).contains("stoker migrate");
      assertThat(meanwhile).allMatch(id -> stack.statuses().history(id).isEmpty());
    } finally {
      stack.database().change("drop schema public");
      stack.database().change("alter schema away rename to public");
    }
    stack.processes().awaitServing(dispatcher, PATIENCE);
    assertAllSucceed(meanwhile);
  }

  @Test
  void startedOnAnOlderSchema_itSaysSo_andOnANewerOne_itServes() throws Exception {
    String newest = schema().path("needed").asText();
    stack.database().change(relabelled(newest, ASIDE));
    try {
      dispatcher.restart();
      awaitProblem("[" + newest + "]");
    } finally {
      stack.database().change(relabelled(ASIDE, newest));
    }
    stack.processes().awaitServing(dispatcher, PATIENCE);

    stack
        .database()
        .change(
            "insert into flyway_schema_history (installed_rank, version, description, type, script,"
                + " installed_by, execution_time, success) values (9999, '99.1', 'later', 'SQL',"
                + " 'V99_1__later.sql', 'test', 1, true)");
    try {
      dispatcher.restart();
      await("the newer version to be shown")
          .atMost(PATIENCE)
          .until(quietly(() -> schema().path("version").asText().equals("99.1")));
      stack.processes().awaitServing(dispatcher, PATIENCE);
      assertAllSucceed(post());
    } finally {
      stack.database().change("delete from flyway_schema_history where version = '99.1'");
    }
  }

  /** As if a migration had not been run. */
  private static String relabelled(String version, String other) {
    return "update flyway_schema_history set version = '%s' where version = '%s'"
        .formatted(other, version);
  }

  private List<String> post() {
    int first = posted;
    posted += JOBS;
    List<String> ids = IntStream.range(first, posted).mapToObj(i -> "waits-" + i).toList();
    ids.forEach(id -> stack.post(Posted.script(id, "true # " + id)));
    return ids;
  }

  private void assertAllSucceed(List<String> ids) {
    stack.statuses().awaitEnds(ids, PATIENCE);
    for (String id : ids) {
      assertThat(stack.statuses().awaitEnd(id).state()).as(id).isEqualTo(RequestState.SUCCEEDED);
      assertThat(stack.statuses().history(id))
          .as(id)
          .noneMatch(entry -> entry.status().state() == RequestState.REJECTED);
    }
    assertThat(stack.deadLetters().all()).isEmpty();
  }

  /** Readiness names what is wrong, and is not given. */
  private void awaitProblem(String word) {
    await("readiness to name " + word)
        .atMost(PATIENCE)
        .until(
            quietly(
                () ->
                    schema().path("status").asText().equals("DOWN")
                        && schema().path("problem").asText().contains(word)));
  }

  /** The part of readiness that tells of the schema, with its data. */
  private JsonNode schema() {
    URI url = URI.create("http://127.0.0.1:" + stack.processes().port("dispatcher-1"));
    try (RestClient rest = new RestClient(url, Access.NONE)) {
      JsonNode check =
          StreamSupport.stream(
                  rest.get("/q/health/ready").body().path("checks").spliterator(), false)
              .filter(one -> one.path("name").asText().equals("schema"))
              .findFirst()
              .orElseThrow();
      return ((ObjectNode) check.path("data").deepCopy()).set("status", check.path("status"));
    }
  }

  /** While a dispatcher starts it does not answer at all. */
  private static Callable<Boolean> quietly(Callable<Boolean> question) {
    return () -> {
      try {
        return question.call();
      } catch (RuntimeException notYet) {
        return false;
      }
    };
  }
}
