package io.stoker.simulation;

import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.model.LaunchFailure;
import java.util.List;
import java.util.Set;

/**
 * What a pass could see of hosts when it began; its rules are held against this.
 *
 * @param launchFailures what its replica had read last of jobs that could not be started
 * @param alive hosts that its replica had heard of
 * @param open attempts that were open
 */
record Seen(
    List<HostRow> hosts,
    List<LaunchFailure> launchFailures,
    Set<String> alive,
    List<AttemptRow> open) {
  /** The attempt as it was seen, or as it is if it was opened since. */
  AttemptRow of(AttemptRow attempt) {
    return open.stream().filter(row -> row.key().equals(attempt.key())).findFirst().orElse(attempt);
  }
}
