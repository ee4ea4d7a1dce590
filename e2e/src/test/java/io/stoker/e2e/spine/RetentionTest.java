package io.stoker.e2e.spine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stoker.cli.stack.StackOptions;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.stack.BesideTheSharedStack;
import io.stoker.e2e.stack.Posted;
import io.stoker.e2e.stack.StatusLog;
import io.stoker.e2e.stack.StokerStack;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What the database holds is bounded by what is kept: of work that is over for longer no table has
 * a row, whatever became of it.
 */
@Timeout(1_200)
@BesideTheSharedStack
class RetentionTest {
  /** All that grow with the work. */
  private static final List<String> TABLES =
      List.of(
          "request",
          "job",
          "ready",
          "attempt",
          "past_attempt",
          "backoff",
          "dependency",
          "input",
          "fan_out",
          "due_status",
          "timer",
          "hold",
          "group_entry",
          "group_count",
          "line_entry",
          "usage_entry");

  /** Into the first minutes of 1970. */
  private static final List<String> AGE =
      List.of(
          "update job set ended_at = 1000 where ended_at is not null",
          "update request r set seq = 4096 * n.n, version = case when r.ended is null then r.version"
              + " else 1000 end from (select id, row_number() over (order by seq) n from request"
              + " where seq > 0) n where n.id = r.id",
          "update group_count set first_at = 1000, last_end_at = 1000");

  @Test
  void ofWhatIsOverNoRowIsLeft() throws Exception {
    Map<String, String> soon =
        Map.of("STOKER_RETENTION_EVERY", "1s", "STOKER_RETRY_BACKOFF_FIRST", "0s");
    StackOptions options =
        StackOptions.DEFAULT
            .withAgentEnvironment(StokerStack.WITHOUT_GPUS)
            .withDispatcherEnvironment(soon);
    try (StokerStack stack = StokerStack.start("retention", options)) {
      List<Posted> all = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        Posted first = Posted.script("kept-" + i, "sleep 1; exit " + i % 2).with("group", "kept");
        all.add(first.with("retry", Map.of("app", 1)));
        all.add(all.getLast().as("equal-" + i));
        all.add(Posted.script("after-" + i, "true # " + i).dependingOn(first.id()));
      }
      stack.post(all.toArray(Posted[]::new));
      for (Posted one : all) {
        stack.statuses().awaitEnd(one.id());
      }
      assertThat(stack.statuses().seen("kept-1").getLast().attempt()).isEqualTo(2);
      assertThat(stack.statuses().await("after-0", RequestState.SUCCEEDED)).isNotNull();

      await("no row of what is over")
          .atMost(StatusLog.PATIENCE)
          .until(() -> left(stack), List.of()::equals);
    }
  }

  /** Tables that have rows though all that is over is made old, and how many. */
  private static List<String> left(StokerStack stack) throws SQLException {
    for (String sql : AGE) {
      stack.database().column("with aged as (" + sql + " returning 1) select count(*) from aged");
    }
    List<String> left = new ArrayList<>();
    for (String table : TABLES) {
      String count = stack.database().column("select count(*) from " + table).getFirst();
      if (!count.equals("0")) {
        left.add(table + " " + count);
      }
    }
    return left;
  }
}
