package io.stoker.dispatcher.service.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;
import io.stoker.common.json.Json;
import io.stoker.dispatcher.experiment.EarlyStopPlan;
import io.stoker.dispatcher.experiment.EarlyStopPlan.Policy;
import io.stoker.dispatcher.experiment.Objective;
import io.stoker.dispatcher.experiment.Plan;
import io.stoker.dispatcher.experiment.Standing;
import io.stoker.dispatcher.model.IntermediateRow;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.service.commit.CdiCommitEvents.Committed;
import io.stoker.dispatcher.service.testing.OnRealServices;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * What it takes to judge jobs of a large experiment, on the real database. No test: figures of
 * {@code docs/performance.md} come from it.
 */
@QuarkusTest
@OnRealServices
@EnabledIfSystemProperty(named = "bench.peers", matches = "\\d+")
class PeersBench {
  private static final int PEERS = Integer.getInteger("bench.peers", 0);
  private static final int RESULTS = 100;
  private static final int READINGS = 51;
  private static final Duration LONG = Duration.ofMinutes(5);

  @Inject Database database;
  @Inject Event<Committed> committed;
  private final String group = "peers-" + UUID.randomUUID();

  private <T> T in(Function<StatelessSession, Uni<T>> work) {
    return database.transaction(work).await().atMost(LONG);
  }

  private void execute(String sql, Map<String, Object> values) {
    in(session -> Queries.execute(session, sql, values));
  }

  @AfterEach
  void remove() {
    for (String sql :
        List.of(
            "delete from intermediate_result where job like :mine",
            "delete from early_stop_check where job like :mine",
            "delete from job where id like :mine",
            "delete from request where id like :mine",
            "delete from experiment where name like :mine")) {
      execute(sql, Map.of("mine", group + "%"));
    }
  }

  private void fill(Plan plan) {
    execute(
        "insert into experiment (name, creation, plan, state, created_at) values (:grp, :grp, :plan,"
            + " 'RUNNING', 1)",
        Map.of("grp", group, "plan", Json.text(plan)));
    execute(
        "insert into request (id, seq, version, spec, grp, job) select :grp || '-' || i, 1, 1, '{}',"
            + " :grp, :grp || '-' || i from generate_series(1, cast(:peers as integer)) i",
        Map.of("grp", group, "peers", PEERS));
    execute(
        "insert into job (id, fingerprint, role, state, ending, attempt, first_request, queue,"
            + " priority, seq, shape, policy) select :grp || '-' || i, :grp || '-' || i, 0,"
            + " 'RUNNING', false, 1, :grp || '-' || i, 'q', 0, 1, '{}', '{}' from"
            + " generate_series(1, cast(:peers as integer)) i",
        Map.of("grp", group, "peers", PEERS));
    execute(
        "insert into intermediate_result (job, attempt, seq, at, score, result, n, total, least,"
            + " most) select :grp || '-' || i, 1, n, 1, 0.5, '0.5', n, n * 0.5, 0.5, 0.5 from"
            + " generate_series(1, cast(:peers as integer)) i, generate_series(1, cast(:results as"
            + " integer)) n",
        Map.of("grp", group, "peers", PEERS, "results", RESULTS));
    for (String table : List.of("request", "job", "intermediate_result")) {
      execute("analyze " + table, Map.of());
    }
  }

  @Test
  void jobsOfALargeExperimentAreJudged() {
    fill(
        new Plan(
            true,
            Objective.MAX,
            null,
            false,
            List.of(),
            null,
            new EarlyStopPlan(Policy.MEDIAN, 0, 1, 1, 0),
            null,
            null));
    List<Long> readings = new ArrayList<>();
    for (int i = 0; i < READINGS; i++) {
      int step = 1 + i % RESULTS;
      long before = System.nanoTime();
      List<Standing> all = in(session -> new IntermediateTable(session).standings(group, step));
      assertThat(all).hasSize(PEERS);
      readings.add(System.nanoTime() - before);
    }
    readings.sort(null);
    List<String> jobs = IntStream.rangeClosed(1, PEERS).mapToObj(i -> group + "-" + i).toList();
    long one = judged(jobs.subList(0, 1));
    long many = judged(jobs.subList(1, PEERS));
    System.out.printf(
        Locale.ROOT,
        "PeersBench: %d peers of %d results: a reading takes %.1f ms, one verdict %.1f ms, %d at one"
            + " step %.0f ms%n",
        PEERS,
        RESULTS,
        readings.get(READINGS / 2) / 1e6,
        one / 1e6,
        PEERS - 1,
        many / 1e6);
  }

  /** Until jobs have been judged that gave a result in one transaction. */
  private long judged(List<String> jobs) {
    UnitOfWork unit = in(session -> RequestLoader.load(session, jobs));
    jobs.forEach(job -> unit.said(new IntermediateRow(job, 1, RESULTS, 1, 0.5, "0.5")));
    long before = System.nanoTime();
    committed.fire(new Committed(unit));
    await()
        .atMost(LONG)
        .pollInterval(Duration.ofMillis(5))
        .until(() -> checks(jobs) == jobs.size());
    return System.nanoTime() - before;
  }

  private int checks(List<String> jobs) {
    return in(session ->
            Queries.listOf(
                session,
                "select c.job from early_stop_check c where c.job = any(cast(:keys as text[]))",
                jobs,
                Row::text))
        .size();
  }
}
