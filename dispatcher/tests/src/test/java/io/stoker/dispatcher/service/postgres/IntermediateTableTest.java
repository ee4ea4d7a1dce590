package io.stoker.dispatcher.service.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.experiment.EarlyStopPlan;
import io.stoker.dispatcher.experiment.EarlyStopPlan.Policy;
import io.stoker.dispatcher.experiment.EarlyStopRules;
import io.stoker.dispatcher.experiment.Objective;
import io.stoker.dispatcher.experiment.PlainStopRules;
import io.stoker.dispatcher.experiment.PlainStopRules.Series;
import io.stoker.dispatcher.experiment.Reached;
import io.stoker.dispatcher.experiment.Standing;
import io.stoker.dispatcher.model.IntermediateRow;
import io.stoker.dispatcher.service.testing.OnRealServices;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What early stopping reads of a step is what all the results up to it say. */
@QuarkusTest
@OnRealServices
class IntermediateTableTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final List<EarlyStopPlan> PLANS =
      List.of(
          new EarlyStopPlan(Policy.MEDIAN, 0, 1, 1, 0),
          new EarlyStopPlan(Policy.BANDIT, 0, 1, 0.5, 0),
          new EarlyStopPlan(Policy.TRUNCATION, 0, 1, 0.3, 0),
          new EarlyStopPlan(Policy.CURVE_FITTING, 0, 1, 0.95, 9));

  @Inject Database database;
  private final String group = "early-" + UUID.randomUUID();

  @AfterEach
  void remove() {
    for (String sql :
        List.of(
            "delete from intermediate_result where job like :mine",
            "delete from early_stop_check where job like :mine",
            "delete from job where id like :mine",
            "delete from request where id like :mine")) {
      in(session -> Queries.execute(session, sql, Map.of("mine", group + "%")));
    }
  }

  private <T> T in(Function<StatelessSession, Uni<T>> work) {
    return database.transaction(work).await().atMost(SOON);
  }

  /** A job of the group, in its second attempt. */
  private String job(String name, String state, boolean ending) {
    String id = group + "-" + name;
    in(
        session ->
            Queries.execute(
                session,
                "insert into request (id, seq, version, spec, grp, job) values (:id, 1, 1, '{}',"
                    + " :grp, :id)",
                Map.of("id", id, "grp", group)));
    in(
        session ->
            Queries.execute(
                session,
                "insert into job (id, fingerprint, role, state, ending, attempt, first_request,"
                    + " queue, priority, seq, shape, policy) values (:id, :id, 0, :state, :ending,"
                    + " 2, :id, 'q', 0, 1, '{}', '{}')",
                Map.of("id", id, "state", state, "ending", ending)));
    return id;
  }

  private void add(List<IntermediateRow> rows) {
    in(session -> Write.run(session, List.of(IntermediateTable.insert(rows))));
  }

  private static IntermediateRow row(String job, int attempt, int seq, Double score) {
    return new IntermediateRow(job, attempt, seq, 1, score, "1");
  }

  private List<Standing> standings(int step) {
    return in(session -> new IntermediateTable(session).standings(group, step));
  }

  @Test
  void theOrderOfScoresDoesNotChangeTheirMean() {
    String one = job("a", "RUNNING", false);
    String other = job("b", "RUNNING", false);
    add(List.of(row(one, 2, 1, 0.1), row(one, 2, 2, 0.2)));
    add(List.of(row(one, 2, 3, 0.3), row(other, 2, 1, 0.3)));
    add(List.of(row(other, 2, 5, 0.2)));
    add(List.of(row(other, 2, 9, 0.1)));

    assertThat(standings(3)).extracting(at -> at.upToIt().total()).containsExactly(0.6, 0.6);
  }

  @Test
  void whatIsToldAgainCountsOnceAndWhatWasOvertakenWhenItComes() {
    String job = job("a", "RUNNING", false);
    add(List.of(row(job, 2, 1, 0.1), row(job, 2, 4, 0.4), row(job, 2, 4, 0.4)));
    add(List.of(row(job, 2, 1, 0.1), row(job, 2, 2, 0.2), row(job, 2, 5, 0.5)));
    add(List.of(row(job, 2, 3, null), row(job, 2, 5, 0.5), row(job, 2, 6, 0.6)));

    List<Reached> reached = in(session -> new IntermediateTable(session).reached(List.of(job)));

    assertThat(reached).containsExactly(new Reached(job, 5, 0));
    assertThat(standings(3)).extracting(at -> at.upToIt().total()).containsExactly(0.7);
    assertThat(standings(5)).extracting(at -> at.upToIt().total()).containsExactly(1.8);
  }

  /** To Postgres a sum that no double holds is an error. */
  @Test
  void scoresThatAddUpToMoreThanADoubleHoldsDoNotKeepOthersFromBeingJudged() {
    String most = job("a", "RUNNING", false);
    String least = job("b", "RUNNING", false);
    String other = job("c", "RUNNING", false);
    for (Map.Entry<String, Double> each :
        Map.of(most, 1.7e308, least, -1.7e308, other, 1.0).entrySet()) {
      add(List.of(row(each.getKey(), 2, 1, each.getValue())));
      add(List.of(row(each.getKey(), 2, 2, each.getValue())));
    }

    assertThat(standings(2))
        .extracting(at -> at.upToIt().total())
        .containsExactly(Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, 2.0);
  }

  @Test
  void aJobThatWasJudgedIsKnownToHaveBeen() {
    String judged = job("a", "RUNNING", false);
    String fresh = job("b", "RUNNING", false);
    String silent = job("c", "RUNNING", false);
    String over = job("d", "SUCCEEDED", false);
    for (String job : List.of(judged, fresh, over)) {
      add(List.of(row(job, 2, 1, 1.0), row(job, 2, 2, null), row(job, 2, 3, 2.0)));
    }

    Set<String> first = in(session -> new IntermediateTable(session).first(List.of(judged), 2));
    Set<String> again =
        in(session -> new IntermediateTable(session).first(List.of(judged, over), 2));
    List<Reached> reached =
        in(session -> new IntermediateTable(session).reached(List.of(judged, fresh, silent, over)));

    assertThat(first).containsExactly(judged);
    assertThat(again).containsExactly(over);
    assertThat(reached).containsExactly(new Reached(judged, 2, 2), new Reached(fresh, 2, 0));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void jobsAreJudgedAsByAllTheirScores(long seed) {
    Random random = new Random(seed);
    List<Series> all = new ArrayList<>();
    List<List<IntermediateRow>> told = new ArrayList<>();
    for (int i = 0; i < 3 + random.nextInt(6); i++) {
      boolean finished = random.nextInt(3) == 0;
      boolean counts = random.nextInt(6) > 0;
      String state = finished ? "SUCCEEDED" : counts || random.nextBoolean() ? "RUNNING" : "FAILED";
      String job = job("j" + i, state, !counts && !state.equals("FAILED"));
      List<IntermediateRow> rows = results(random, job);
      told.add(new ArrayList<>(rows));
      if (counts) {
        all.add(new Series(job, scores(rows), finished));
      }
    }
    addInBatches(random, told);

    for (int step = 1; step <= 12; step++) {
      List<Standing> standings = standings(step);
      int at = step;
      assertThat(standings)
          .extracting(Standing::job)
          .containsExactlyElementsOf(
              all.stream().filter(s -> s.scores().length >= at).map(Series::job).toList());
      for (Standing own : standings) {
        compare(own, all, step, standings);
      }
    }
  }

  private void compare(Standing own, List<Series> all, int step, List<Standing> standings) {
    Series series = all.stream().filter(s -> s.job().equals(own.job())).findFirst().orElseThrow();
    double[] scores = in(session -> new IntermediateTable(session).scores(own.job(), step));
    for (EarlyStopPlan plan : PLANS) {
      for (Objective objective : Objective.values()) {
        assertThat(EarlyStopRules.judge(plan, objective, own, scores, standings))
            .as("%s %s of %s at %d", plan.policy(), objective, own, step)
            .isEqualTo(PlainStopRules.judge(plan, objective, series, step, all));
      }
    }
  }

  /** Of an attempt that failed, and of the one after it; with gaps, and with what is no score. */
  private static List<IntermediateRow> results(Random random, String job) {
    List<IntermediateRow> rows = new ArrayList<>();
    for (int attempt = 1; attempt <= 2; attempt++) {
      int seq = 0;
      for (int left = random.nextInt(13); left > 0; left--) {
        seq += 1 + random.nextInt(3);
        // Few values, so that there are ties; some that no binary fraction is.
        Double score =
            switch (random.nextInt(5)) {
              case 0 -> null;
              case 1 -> random.nextGaussian() * 1e3;
              default -> (random.nextInt(9) - 4) / 10.0;
            };
        rows.add(row(job, attempt, seq, score));
      }
    }
    return rows;
  }

  private static double[] scores(List<IntermediateRow> rows) {
    return rows.stream()
        .filter(row -> row.attempt() == 2 && row.score() != null)
        .mapToDouble(IntermediateRow::score)
        .toArray();
  }

  /** Each job's in order, as its events come; how many at a time, and whose, is chance. */
  private void addInBatches(Random random, List<List<IntermediateRow>> told) {
    List<List<IntermediateRow>> left = new ArrayList<>(told);
    left.removeIf(List::isEmpty);
    while (!left.isEmpty()) {
      List<IntermediateRow> batch = new ArrayList<>();
      for (int i = 1 + random.nextInt(8); i > 0 && !left.isEmpty(); i--) {
        List<IntermediateRow> of = left.get(random.nextInt(left.size()));
        batch.add(of.removeFirst());
        left.removeIf(List::isEmpty);
      }
      add(batch);
    }
  }
}
