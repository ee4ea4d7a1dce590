package io.stoker.agent.runner;

import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.security.OwnFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** As whom the jobs of a host run: by their queue, or as one user for all others. */
public final class RunUsers {
  /** All as the agent. */
  public static final RunUsers SELF = new RunUsers(RunAs.SELF, Map.of());

  private final RunAs others;
  private final Map<String, RunAs> byQueue;

  /**
   * @param others as whom jobs of other queues run, and workers of pools
   */
  public RunUsers(RunAs others, Map<String, RunAs> byQueue) {
    this.others = others;
    this.byQueue = new TreeMap<>(byQueue);
  }

  /**
   * As whom a job runs.
   *
   * @return empty if that cannot be said, since its queue is not
   */
  Optional<RunAs> of(Place place) {
    boolean worker = place.request() == null;
    if (byQueue.isEmpty() || worker) {
      return Optional.of(others);
    }
    return place.program().claim().queue().map(queue -> byQueue.getOrDefault(queue, others));
  }

  boolean gains() {
    return others.gains();
  }

  /** Whether some jobs are another user's than the agent. */
  boolean change() {
    return !accounts().isEmpty();
  }

  private Set<Account> accounts() {
    return Stream.concat(Stream.of(others), byQueue.values().stream())
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
    return others.words()
        + byQueue.entrySet().stream()
            .map(one -> "; those of queue %s %s".formatted(one.getKey(), one.getValue().words()))
            .collect(Collectors.joining());
  }
}
