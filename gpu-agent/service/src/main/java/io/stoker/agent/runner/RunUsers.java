package io.stoker.agent.runner;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.WorkerKey;
import io.stoker.common.message.Workload.Claim;
import io.stoker.common.security.OwnFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * As whom the jobs of a host run: by who posted them, by their queue, or as one user for the rest.
 */
public final class RunUsers {
  /** All as the agent. */
  public static final RunUsers SELF = new RunUsers(RunAs.SELF, Map.of(), Map.of());

  private final RunAs others;
  private final Map<String, RunAs> byQueue;
  private final Map<String, RunAs> bySender;

  /**
   * @param others as whom all other jobs run, and workers of pools
   * @param bySender by who posted them, before their queue counts
   */
  public RunUsers(RunAs others, Map<String, RunAs> byQueue, Map<String, RunAs> bySender) {
    this.others = others;
    this.byQueue = new TreeMap<>(byQueue);
    this.bySender = new TreeMap<>(bySender);
  }

  /** As whom a run is started. Empty if that cannot be said, since its queue is not. */
  Optional<RunAs> of(RunSpec spec) {
    return switch (spec.key()) {
      case WorkerKey worker -> Optional.of(others);
      case AttemptKey attempt -> of(spec.program().claim());
    };
  }

  private Optional<RunAs> of(Claim claim) {
    if (byQueue.isEmpty() && bySender.isEmpty()) {
      return Optional.of(others);
    }
    // Whoever tells the queue tells who posted it, too, if that is known.
    return claim
        .queue()
        .map(
            queue ->
                claim
                    .sentBy()
                    .map(bySender::get)
                    .orElseGet(() -> byQueue.getOrDefault(queue, others)));
  }

  boolean gains() {
    return others.gains();
  }

  /** Whether some jobs are another user's than the agent. */
  boolean change() {
    return !accounts().isEmpty();
  }

  private Set<Account> accounts() {
    return Stream.of(List.of(others), byQueue.values(), bySender.values())
        .flatMap(Collection::stream)
        .flatMap(one -> one.account().stream())
        .collect(Collectors.toSet());
  }

  /**
   * Closes a folder to all but the agent. Other users as whom jobs run may pass it, to what they
   * know the name of, and neither list nor change it.
   */
  void admit(Path folder) throws IOException {
    Set<Integer> groups = accounts().stream().map(Account::gid).collect(Collectors.toSet());
    if (groups.isEmpty()) {
      OwnFiles.folder(folder);
    } else if (groups.size() == 1) {
      OwnFiles.folder(folder, groups.iterator().next());
    } else {
      OwnFiles.passedByAll(folder);
    }
  }

  /** What is in force, for people. */
  public String words() {
    return others.words() + words("of queue", byQueue) + words("that are posted by", bySender);
  }

  private static String words(String which, Map<String, RunAs> users) {
    return users.entrySet().stream()
        .map(one -> "; those %s %s %s".formatted(which, one.getKey(), one.getValue().words()))
        .collect(Collectors.joining());
  }
}
