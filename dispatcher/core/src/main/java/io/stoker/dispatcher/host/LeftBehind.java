package io.stoker.dispatcher.host;

import io.stoker.common.message.HostMessage.HeldAttempt;
import io.stoker.common.state.FailureCategory;
import io.stoker.dispatcher.attempt.AttemptEnd;
import io.stoker.dispatcher.attempt.JobEnd;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.Holder;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.model.MemberEnd;
import io.stoker.dispatcher.model.PastAttempt.How;
import io.stoker.dispatcher.model.UnitOfWork;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Finds attempts that are open on a host and that its new agent does not hold. An earlier agent may
 * run them still, so they stay open, and take their room, until its agent tells their end, an agent
 * claims them, or the log proves that nothing runs.
 *
 * <p>The unit of work must hold the host's open attempts, their jobs, and what {@link JobEnd}
 * needs.
 */
public final class LeftBehind {
  private LeftBehind() {}

  /**
   * What is left behind when a host is granted a new epoch.
   *
   * @param before the host as it was
   * @param held by the agent that has said hello
   * @param successor whether its journal is the one that the agent before wrote: what is not
   *     accepted in it nobody has accepted
   */
  static List<Holder.Left> settle(
      UnitOfWork unit, HostRow before, List<HeldAttempt> held, boolean successor, Silence silence) {
    List<Holder.Left> left = new ArrayList<>();
    for (AttemptRow attempt : unit.attempts().all()) {
      Optional<Holder.Left> known =
          before.holder().left().stream().filter(one -> one.is(attempt)).findFirst();
      boolean certain = known.isEmpty() && !attempt.accepted() && successor;
      if (attempt.host().equals(before.id()) && !holds(held, attempt) && !certain) {
        Holder.Left one =
            known.orElseGet(
                () ->
                    new Holder.Left(
                        attempt.job(), attempt.number(), before.epoch(), before.outageMs()));
        if (silence.over(one.epoch(), one.outageMs())) {
          // Accepted or not: its number and its token may be known to the agent before.
          close(unit, attempt);
        } else {
          left.add(one);
        }
      }
    }
    return left;
  }

  private static boolean holds(List<HeldAttempt> held, AttemptRow attempt) {
    return held.stream()
        .anyMatch(one -> one.job().equals(attempt.job()) && one.attempt() == attempt.number());
  }

  /** Whether something of it can be closed, or is over. */
  public static boolean isDue(HostRow host, List<AttemptRow> open, Silence silence) {
    return host.holder().left().stream()
        .anyMatch(
            one ->
                silence.over(one.epoch(), one.outageMs())
                    || open.stream()
                        .noneMatch(attempt -> attempt.host().equals(host.id()) && one.is(attempt)));
  }

  /** Closes what nobody can run any more. */
  public static HostRow close(UnitOfWork unit, HostRow host, Silence silence) {
    List<Holder.Left> still = new ArrayList<>();
    for (Holder.Left one : host.holder().left()) {
      Optional<AttemptRow> open =
          unit.attempts().all().stream()
              .filter(attempt -> attempt.host().equals(host.id()) && one.is(attempt))
              .findFirst();
      if (open.isPresent() && silence.over(one.epoch(), one.outageMs())) {
        close(unit, open.get());
      } else if (open.isPresent()) {
        still.add(one);
      }
    }
    return host.with(host.holder().with(still));
  }

  private static void close(UnitOfWork unit, AttemptRow attempt) {
    String reason =
        "host "
            + attempt.host()
            + " lost its journal, and nothing was heard within its lease of the agent that had it";
    MemberEnd end =
        attempt.accepted()
            ? MemberEnd.failed(FailureCategory.HOST_LOST, reason)
            : MemberEnd.returned(reason);
    AttemptEnd.over(unit, attempt, unit.jobs().get(attempt.job()), end, How.LOST);
  }
}
