package io.stoker.dispatcher.coordinator.placement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.commit.CommitFollowUp;
import io.stoker.dispatcher.coordinator.end.CodedEnd;
import io.stoker.dispatcher.placement.PassLog;
import io.stoker.dispatcher.runtime.Isolation;
import java.util.Map;

/** Does what follows from a pass that has committed. */
public final class PassFollowUp {
  private static final System.Logger LOG = System.getLogger(PassFollowUp.class.getName());

  private final CommittedPlacements placements;
  private final CommitFollowUp commits;
  private final Unsatisfied unsatisfied;
  private final PreemptionTransaction preemptions;
  private final Isolation<Unread> line;
  private final PassLog log = new PassLog();

  /** A job in line, and why it cannot be placed. */
  private record Unread(String job, RuntimeException why) {}

  public PassFollowUp(
      CommittedPlacements placements,
      CommitFollowUp commits,
      Unsatisfied unsatisfied,
      PreemptionTransaction preemptions,
      CodedEnd ends) {
    this.placements = placements;
    this.commits = commits;
    this.unsatisfied = unsatisfied;
    this.preemptions = preemptions;
    line =
        ends.ofJobs(
            "reading what it asks for",
            Unread::job,
            one -> Uni.createFrom().failure(one.getFirst().why()));
  }

  /**
   * Publishes what it placed, sets aside what it could not read, tells who can never be served, and
   * ends those who are to make room for others.
   *
   * @return whether room was made for one job: the next pass looks for others
   */
  Uni<Boolean> follow(Passed passed) {
    log(passed);
    line.succeeded(
        passed.opened().stream().map(attempt -> new Unread(attempt.job(), null)).toList());
    return publish(passed)
        .call(() -> setAside(passed.unreadable()))
        .call(() -> unsatisfied.follow(passed.never(), passed.unit().now()).chain(this::setAside))
        .chain(() -> preemptions.carryOut(passed.preempts()));
  }

  private void log(Passed passed) {
    int placed = (int) passed.opened().stream().filter(attempt -> attempt.rank() == 0).count();
    log.passed(
            placed,
            passed.preempts().isPresent(),
            passed.decision().unplaced(),
            passed.unit().now())
        .ifPresent(line -> LOG.log(System.Logger.Level.INFO, line));
  }

  private Uni<Void> publish(Passed passed) {
    if (!passed.opened().isEmpty() || !passed.unit().told().isEmpty()) {
      // Not after the placements: a job may end sooner than its placement is confirmed, and its
      // PLACED should not come on the topic after that. The attempts' rows, and what is heard of
      // them, owe these statuses: the next pass need not wait for them.
      commits.soonAfterIntake(passed.unit());
    }
    return passed.opened().isEmpty()
        ? Uni.createFrom().voidItem()
        : placements.publish(passed.placed(), passed.epochs(), passed.unit().now());
  }

  private Uni<Void> setAside(Map<String, RuntimeException> unreadable) {
    return line.each(
        unreadable.entrySet().stream()
            .map(one -> new Unread(one.getKey(), one.getValue()))
            .toList());
  }
}
