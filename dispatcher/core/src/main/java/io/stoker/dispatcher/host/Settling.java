package io.stoker.dispatcher.host;

import io.stoker.common.message.HostMessage.Heartbeat;
import io.stoker.common.message.HostMessage.HeldAttempt;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.model.Restored;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Decides what must be settled with hosts before a restored database is placed by. The database
 * does not know what was placed after its backup: that may run still, and its requests, which are
 * read again, would run beside it. So each host has to come to an end with it first: in an epoch of
 * the restored database it holds nothing that this does not know, what it did hold being cancelled
 * by the answer to its hello; or it was lost by the rules of its lease, or declared dead.
 */
public final class Settling {
  private static final int NAMED = 5;

  private Settling() {}

  /** Why nothing is placed anywhere, if some hosts are not settled. */
  public static Optional<String> waits(Collection<HostRow> hosts) {
    List<HostRow> unsettled = hosts.stream().filter(HostRow::unsettled).toList();
    if (unsettled.isEmpty()) {
      return Optional.empty();
    }
    String named =
        unsettled.stream()
            .limit(NAMED)
            .map(host -> host.id() + ", which " + what(host))
            .collect(Collectors.joining("; "));
    int others = unsettled.size() - NAMED;
    return Optional.of(
        "takes nothing yet, since the database was restored at %s: waits for %s%s"
            .formatted(
                Instant.ofEpochMilli(unsettled.getFirst().restored().at()),
                named,
                others > 0 ? "; and %d more".formatted(others) : ""));
  }

  /** What a host that is not settled is waited for. */
  public static String what(HostRow host) {
    Restored restored = host.restored();
    if (host.epoch() > restored.floor()) {
      return restored.successor()
          ? "is to end what the database does not know"
          : "is to end what the database does not know, and is waited for to be silent in the"
              + " epochs before";
    }
    return restored.outageMs() == null
        ? "is to say hello, or to be declared dead"
        : "is to say hello, or to be silent until nothing can run there";
  }

  /**
   * Whether a host that was not settled is.
   *
   * @param open all that is open on it
   * @param last its last heartbeat
   */
  public static boolean isSettled(
      HostRow host, Collection<AttemptRow> open, Optional<Heartbeat> last, Silence silence) {
    Restored restored = host.restored();
    return restored != null
        && host.epoch() > restored.floor()
        && (restored.successor() || silence.over(restored.floor(), restored.silenceMs()))
        && last.filter(beat -> beat.epoch() == host.epoch())
            .filter(beat -> beat.held().stream().allMatch(one -> isKnown(host, open, one)))
            .isPresent();
  }

  /** What has ended is released. */
  private static boolean isKnown(HostRow host, Collection<AttemptRow> open, HeldAttempt held) {
    return !held.running()
        || open.stream()
            .anyMatch(
                attempt ->
                    attempt.host().equals(host.id())
                        && attempt.job().equals(held.job())
                        && attempt.number() == held.attempt());
  }

  /** The host's row, without what was asked of it if it has done that. */
  public static HostRow settle(
      HostRow host, Collection<AttemptRow> open, Optional<Heartbeat> last, Silence silence) {
    return isSettled(host, open, last, silence) ? host.settled() : host;
  }
}
