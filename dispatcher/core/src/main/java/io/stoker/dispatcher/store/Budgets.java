package io.stoker.dispatcher.store;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.model.GroupBudget;
import java.util.Collection;
import java.util.List;

/** Retries that the jobs of groups may use together. Locked after jobs and requests. */
public interface Budgets {
  /** For using some of them; groups without a limit have none. */
  Uni<List<GroupBudget>> lock(Collection<String> groups);

  /** Limits a group's retries, those that it has used counting. */
  Uni<Integer> limit(String group, long retries);
}
