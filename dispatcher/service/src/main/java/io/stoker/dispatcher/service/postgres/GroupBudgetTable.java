package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.model.GroupBudget;
import io.stoker.dispatcher.store.Budgets;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** Retries that the jobs of groups may use together. Locked after jobs and requests. */
public record GroupBudgetTable(StatelessSession session) implements Budgets {
  private static final String SELECT =
      "select b.grp, b.retries, b.used from group_budget b where b.grp = any(cast(:keys as text[]))";

  private static final Batch<GroupBudget> ROWS =
      new Batch<GroupBudget>("group_budget")
          .key("grp", "text", GroupBudget::group)
          .column("used", "bigint", GroupBudget::used);

  @Override
  public Uni<List<GroupBudget>> lock(Collection<String> groups) {
    return Queries.listOf(
        session, SELECT + " order by b.grp for update", groups, GroupBudgetTable::map);
  }

  /** Nothing for a group without a limit. */
  public static Uni<Optional<GroupBudget>> of(StatelessSession session, String group) {
    return Queries.listOf(session, SELECT, List.of(group), GroupBudgetTable::map)
        .map(rows -> rows.stream().findFirst());
  }

  private static GroupBudget map(Row row) {
    return new GroupBudget(row.text(), row.bigint(), row.bigint());
  }

  @Override
  public Uni<Integer> limit(String group, long retries) {
    return Queries.execute(
        session,
        "insert into group_budget (grp, retries) values (:grp, :retries) on conflict (grp) do update"
            + " set retries = excluded.retries",
        Map.of("grp", group, "retries", retries));
  }

  static Write update(List<GroupBudget> rows) {
    return ROWS.update(rows);
  }
}
