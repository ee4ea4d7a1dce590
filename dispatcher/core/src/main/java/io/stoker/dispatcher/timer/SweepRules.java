package io.stoker.dispatcher.timer;

import io.stoker.common.message.HostMessage.Heartbeat;
import io.stoker.common.message.ToAgent;
import io.stoker.dispatcher.attempt.AttemptEnd;
import io.stoker.dispatcher.attempt.Finishing;
import io.stoker.dispatcher.host.HostDirectory;
import io.stoker.dispatcher.host.LeftBehind;
import io.stoker.dispatcher.host.Overdue;
import io.stoker.dispatcher.host.Settling;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.MemberEnd;
import io.stoker.dispatcher.model.PastAttempt.How;
import io.stoker.dispatcher.model.UnitOfWork;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Decides what a sweep does. */
public final class SweepRules {
  private SweepRules() {}

  /**
   * Hosts that hold rights, each with its epoch: those up, those on which something is open that no
   * earlier agent has left behind, and those that may run what a restored database does not know.
   */
  public static Map<String, Long> leased(List<HostRow> rows, List<AttemptRow> open) {
    return rows.stream()
        .filter(
            row ->
                row.state() == HostRow.State.UP
                    || row.unsettled()
                    || open.stream()
                        .anyMatch(attempt -> attempt.host().equals(row.id()) && !row.left(attempt)))
        .collect(
            Collectors.toMap(HostRow::id, HostRow::epoch, (one, other) -> one, LinkedHashMap::new));
  }

  /** How long the jobs of hosts run on while nothing is heard of these, ms. */
  public static Map<String, Long> outages(List<HostRow> rows) {
    return rows.stream().collect(Collectors.toMap(HostRow::id, HostRow::outageMs));
  }

  /** Hosts of which people have said that nothing runs there any more. */
  public static List<String> dead(List<HostRow> rows) {
    return rows.stream().filter(HostRow::declaredDead).map(HostRow::id).toList();
  }

  /** Hosts whose attempts are held. */
  public static List<String> heldBefore(List<HostRow> rows) {
    return rows.stream().filter(row -> row.key().held() != null).map(HostRow::id).toList();
  }

  /**
   * Hosts that are to be held from now on, to be known to the next scheduler, too: nothing but
   * messages that were refused for their key was heard of them within their lease.
   */
  public static List<String> held(
      Map<String, Long> leased, List<HostRow> rows, HostDirectory directory) {
    return rows.stream()
        .filter(row -> leased.containsKey(row.id()) && row.key().held() == null)
        .map(HostRow::id)
        .filter(host -> directory.held(host) && !directory.alive(host))
        .toList();
  }

  /** Hosts that are held, and of which something was believed since. */
  public static List<String> released(List<HostRow> rows, HostDirectory directory) {
    return heldBefore(rows).stream().filter(host -> !directory.held(host)).toList();
  }

  /** Whether the loss counts as a failure; where most hosts go at once the fault is not theirs. */
  public static boolean costsRetry(Collection<String> expired, Collection<String> leased) {
    return expired.size() <= 1 || expired.size() * 2 <= leased.size();
  }

  /**
   * Whether what was heard of its host proves that the attempt will never be accepted. A goodbye
   * proves it: who says it runs nothing and takes nothing any more, and the next agent takes
   * nothing of its epoch.
   *
   * @param host as it was when the attempt was seen to be open: of what earlier agents have left
   *     behind, the one that is there now proves nothing
   * @param last heartbeat of the host
   */
  public static boolean overdue(AttemptRow attempt, HostRow host, Optional<Heartbeat> last) {
    boolean gone = host.state() == HostRow.State.GONE && !attempt.accepted();
    return !host.left(attempt)
        && (gone
            ? last.filter(beat -> Overdue.holds(beat.held(), attempt)).isEmpty()
            : last.filter(beat -> Overdue.neverAccepted(attempt, beat, host.epoch())).isPresent());
  }

  /** Hosts of which earlier agents have left something behind that is to be looked at. */
  public static List<String> leftBehind(
      List<HostRow> rows, List<AttemptRow> open, HostDirectory directory) {
    return rows.stream()
        .filter(row -> LeftBehind.isDue(row, open, directory.silence(row.id())))
        .map(HostRow::id)
        .toList();
  }

  /** Hosts that have done what a restored database asked of them. */
  public static List<String> settled(
      List<HostRow> rows, List<AttemptRow> open, HostDirectory directory) {
    return rows.stream()
        .filter(
            row ->
                Settling.isSettled(
                    row, open, directory.lastHeartbeat(row.id()), directory.silence(row.id())))
        .map(HostRow::id)
        .toList();
  }

  /** Gives the jobs of overdue attempts back to the line. */
  public static void close(UnitOfWork unit, Predicate<AttemptRow> overdue) {
    for (AttemptRow attempt : unit.attempts().all()) {
      if (overdue.test(attempt)) {
        String reason = "host " + attempt.host() + " did not accept it in time";
        JobRow job = unit.jobs().get(attempt.job());
        AttemptEnd.over(unit, attempt, job, MemberEnd.returned(reason), How.EXPIRED);
      }
    }
  }

  /** Accepted ones of gangs that were not told to end: those may have to be told to start. */
  public static List<String> mayStart(List<AttemptRow> untold) {
    return untold.stream()
        .filter(
            attempt ->
                attempt.accepted() && attempt.cancelReason() == null && attempt.answer() == null)
        .map(AttemptRow::job)
        .distinct()
        .toList();
  }

  /** Something to be told again. */
  public record Word(String job, String host, ToAgent message) {}

  /** Cancels, and what people said, that are to be told again. */
  public static List<Word> words(List<AttemptRow> untold) {
    return untold.stream()
        .filter(attempt -> attempt.cancelReason() != null || attempt.answer() != null)
        .map(attempt -> new Word(attempt.job(), attempt.host(), message(attempt)))
        .toList();
  }

  private static ToAgent message(AttemptRow attempt) {
    return attempt.cancelReason() == null
        ? Finishing.message(attempt)
        : new ToAgent.Cancel(attempt.job(), attempt.number(), attempt.cancelReason());
  }

  /** The same, as hosts are told them. */
  public static Map<String, List<ToAgent>> byHost(List<Word> words) {
    return words.stream()
        .collect(
            Collectors.groupingBy(
                Word::host,
                LinkedHashMap::new,
                Collectors.mapping(Word::message, Collectors.toList())));
  }
}
