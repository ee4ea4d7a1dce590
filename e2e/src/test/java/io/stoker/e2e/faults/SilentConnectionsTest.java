package io.stoker.e2e.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stoker.cli.local.Role;
import io.stoker.cli.stack.StackOptions;
import io.stoker.cli.stack.child.Child;
import io.stoker.cli.stack.probe.Probes;
import io.stoker.common.fixture.FaultyProxy;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.stack.BesideTheSharedStack;
import io.stoker.e2e.stack.Posted;
import io.stoker.e2e.stack.Proxies;
import io.stoker.e2e.stack.Rest;
import io.stoker.e2e.stack.StatusLog;
import io.stoker.e2e.stack.StokerStack;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Networks that swallow what is said, before one service at a time, without closing a connection.
 * No two attempts of a job may run at once, and each request ends once.
 */
@Timeout(1_200)
@BesideTheSharedStack
@Order(1)
@TestInstance(Lifecycle.PER_CLASS)
@ResourceLock("SilentConnectionsTest") // one test after the other
class SilentConnectionsTest {
  private static final Duration PATIENCE = StatusLog.PATIENCE.multipliedBy(2);
  private static final int JOBS = 24;
  private static final String AGENT = "agent-host-1";

  /** How a network falls silent. */
  enum Silence {
    /** What is said is lost. */
    BLACK_HOLE(FaultyProxy::blackHole),
    /** What is said is delivered once it heals. */
    STALL(FaultyProxy::stall),
    /** What is asked for is done, and the answer is lost. */
    ANSWERS_LOST(FaultyProxy::loseAnswers);

    private final Consumer<FaultyProxy> fault;

    Silence(Consumer<FaultyProxy> fault) {
      this.fault = fault;
    }
  }

  @TempDir static Path folder;

  private Proxies proxies;
  private StokerStack stack;
  private Marks marks;
  private int posted;

  @BeforeAll
  void start() throws Exception {
    marks = new Marks(Files.createDirectory(folder.resolve("marks")));
    proxies = Proxies.of("dispatcher-1", "dispatcher-2", AGENT);
    stack =
        StokerStack.start(
            "silent-connections",
            StackOptions.DEFAULT
                .withDispatchers(2)
                .withHosts(2)
                .withAgentEnvironment(StokerStack.WITHOUT_GPUS)
                .withDispatcherEnvironment(
                    Map.of(
                        "STOKER_POSTGRES_READ_TIMEOUT", "6s",
                        "STOKER_RUN_DEADLINE", "8s",
                        "STOKER_LEASE_DURATION", "6s",
                        "STOKER_LEASE_HEARTBEAT", "1s")),
            proxies);
  }

  @AfterAll
  void stop() throws IOException {
    try (Proxies first = proxies;
        StokerStack last = stack) {
      // Closed in reverse.
    }
  }

  /** Whatever a test has broken heals, and all serve again. */
  @AfterEach
  void heal() throws Exception {
    for (String service : List.of("dispatcher-1", "dispatcher-2", AGENT)) {
      proxies.before(service).forEach(FaultyProxy::pass);
    }
    for (Child dispatcher : stack.processes().children(Role.DISPATCHER)) {
      stack.processes().awaitServing(dispatcher, PATIENCE);
    }
    assertThat(marks.overlaps()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(Silence.class)
  void schedulerThatHearsNothingFromPostgres_isReplaced_andSaysThatItIsNotReady(Silence silence)
      throws Exception {
    String epoch = epoch();
    String hung = scheduler();
    List<String> before = post();
    silence.fault.accept(proxies.postgres(hung));

    await("another scheduler than " + hung).atMost(PATIENCE).until(() -> !epoch().equals(epoch));
    await(hung + " to be unready").atMost(PATIENCE).until(() -> !ready(hung));
    assertLeasesEnd("host-2");
    // Its partitions are given to the other one.
    assertAllSucceed(before);
    assertAllSucceed(post());

    proxies.postgres(hung).pass();
    await(hung + " to be ready again").atMost(PATIENCE).until(() -> ready(hung));
  }

  @Test
  void bothHearNothingFromPostgres_andGoOnOnceTheyDo() throws Exception {
    List<String> ids = post();
    List<FaultyProxy> all =
        Stream.of("dispatcher-1", "dispatcher-2").map(proxies::postgres).toList();
    all.forEach(FaultyProxy::blackHole);
    await("both to be unready")
        .atMost(PATIENCE)
        .until(() -> !ready("dispatcher-1") && !ready("dispatcher-2"));
    await("the page to say so")
        .atMost(PATIENCE)
        .until(() -> new Rest(stack).get("/").contains("\"what\":\"Postgres\""));
    all.forEach(FaultyProxy::pass);
    assertAllSucceed(ids);
  }

  @ParameterizedTest
  @EnumSource(names = {"BLACK_HOLE", "ANSWERS_LOST"})
  void schedulerThatHearsNothingFromKafka_isReplaced(Silence silence) throws Exception {
    String epoch = epoch();
    String hung = scheduler();
    List<String> before = post();
    silence.fault.accept(proxies.kafka(hung));

    await("another scheduler than " + hung).atMost(PATIENCE).until(() -> !epoch().equals(epoch));
    List<String> meanwhile = post();
    // Its partitions are given to the other one.
    assertAllSucceed(before);
    assertAllSucceed(meanwhile);
  }

  @ParameterizedTest
  @EnumSource(names = {"BLACK_HOLE"})
  void agentThatHearsNothingFromKafka_losesItsLease_andComesBack(Silence silence) throws Exception {
    List<String> before = post();
    silence.fault.accept(proxies.kafka(AGENT));
    await("the host to be lost").atMost(PATIENCE).until(() -> !state("host-1").equals("UP"));
    proxies.kafka(AGENT).pass();
    await("the host to be back").atMost(PATIENCE).until(() -> state("host-1").equals("UP"));
    assertAllSucceed(before);
    assertAllSucceed(post());
  }

  @ParameterizedTest
  @EnumSource(names = {"BLACK_HOLE"})
  void redisThatSaysNothing_costsSpeedAlone(Silence silence) throws Exception {
    assertAllSucceed(post());
    for (String dispatcher : List.of("dispatcher-1", "dispatcher-2")) {
      silence.fault.accept(proxies.redis(dispatcher));
    }
    List<String> ids = post();
    assertAllSucceed(ids);
    // An answer of a busy dispatcher may come too late for the probe.
    await("both to be ready")
        .atMost(PATIENCE)
        .until(() -> ready("dispatcher-1") && ready("dispatcher-2"));
    await("Redis to have been asked in vain").atMost(PATIENCE).until(() -> withheldByRedis() > 0);
  }

  private long withheldByRedis() {
    return proxies.redis("dispatcher-1").withheld() + proxies.redis("dispatcher-2").withheld();
  }

  /** Short jobs, in all partitions. */
  private List<String> post() {
    int first = posted;
    posted += JOBS;
    List<String> ids = IntStream.range(first, posted).mapToObj(i -> "silent-" + i).toList();
    ids.forEach(
        id ->
            stack.post(
                Posted.script(id, marks.script(1) + "# " + id)
                    .with("retry", Map.of("hostLost", 50))));
    return ids;
  }

  private void assertAllSucceed(List<String> ids) {
    stack.statuses().awaitEnds(ids, PATIENCE);
    for (String id : ids) {
      RequestStatus end = stack.statuses().awaitEnd(id);
      assertThat(end.state()).as(id + ": " + end.reason()).isEqualTo(RequestState.SUCCEEDED);
      assertThat(stack.statuses().seen(id).stream().map(RequestStatus::state))
          .as(id)
          .filteredOn(StatusLog.ENDS::contains)
          .hasSize(1);
    }
  }

  /** Somebody looks after leases: a host whose agent stands still is lost, and comes back. */
  private void assertLeasesEnd(String host) {
    Child agent = stack.processes().child("agent-" + host);
    agent.pause();
    try {
      await(host + " to be lost").atMost(PATIENCE).until(() -> state(host).equals("LOST"));
    } finally {
      agent.resume();
    }
    await(host + " to be back").atMost(PATIENCE).until(() -> state(host).equals("UP"));
  }

  private String state(String host) throws SQLException {
    return stack.database().one("select state from host where id = ?", host);
  }

  private String epoch() throws SQLException {
    return stack.database().one("select epoch from fleet");
  }

  private String scheduler() throws SQLException {
    // A UUID follows the replica's name.
    return stack.database().one("select substr(scheduler, 1, length(scheduler) - 37) from fleet");
  }

  private boolean ready(String dispatcher) {
    URI health =
        URI.create(
            "http://127.0.0.1:%d/q/health/ready".formatted(stack.processes().port(dispatcher)));
    try {
      Probes.http(health).ask();
      return true;
    } catch (Exception unready) {
      return false;
    }
  }
}
