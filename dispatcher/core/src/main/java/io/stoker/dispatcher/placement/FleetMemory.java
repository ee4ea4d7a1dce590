package io.stoker.dispatcher.placement;

import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.ledger.HostRow;
import io.stoker.dispatcher.ledger.Ledger;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What the scheduler knows of its fleet between transactions: the hosts and open attempts that its
 * last pass read, with what this replica's own transactions have changed since. A cache; each pass
 * reads everything anew.
 *
 * <p>While an epoch holds, its holder alone opens attempts. So what is open is never missing here.
 * What another replica has closed is thought to be open until the next pass: room is found late,
 * and never given twice. That needs two things. One transaction at a time places by what is known
 * here, and says what it opened once its commit is known; where that stays unknown, so does the
 * fleet, until a pass has read it. And a pass that begins ends whatever was known before it.
 */
public final class FleetMemory {
  private long generation;
  private long epoch;
  private boolean lent;
  private List<HostRow> hosts = List.of();
  private Map<String, String> versions = Map.of();
  private List<Head> waiting = List.of();

  /** Null while nothing is known. */
  private Map<AttemptRow.Key, AttemptRow> open;

  /**
   * What is known.
   *
   * @param generation the pass that read it
   * @param epoch of the fleet, under which it was read
   * @param versions of the hosts' rows, by host: read before the rows, so none is newer than them
   * @param open attempts that may be open
   * @param waiting who is in line since no host had room, or could serve them
   */
  public record Known(
      long generation,
      long epoch,
      List<HostRow> hosts,
      Map<String, String> versions,
      List<AttemptRow> open,
      List<Head> waiting) {
    /** Whether these are all that are in line. */
    boolean waits(Set<String> line) {
      return waiting.stream().map(Head::job).collect(Collectors.toSet()).equals(line);
    }
  }

  /**
   * A pass begins: nothing is known until it has committed.
   *
   * @return what it is to say then
   */
  public synchronized long begin() {
    forget();
    return generation;
  }

  /** A pass has committed that read this, and opened what is among {@code open}. */
  public synchronized void learn(Known read) {
    if (read.generation() != generation) {
      return;
    }
    epoch = read.epoch();
    hosts = read.hosts();
    versions = read.versions();
    waiting = read.waiting();
    open = new LinkedHashMap<>();
    read.open().forEach(attempt -> open.put(attempt.key(), attempt));
    lent = false;
  }

  /** The fleet's epoch, if somebody may place by what is known of it. */
  public synchronized OptionalLong epoch() {
    return open == null || lent ? OptionalLong.empty() : OptionalLong.of(epoch);
  }

  /** What is known, for a transaction that may place by it; nobody else can until it is back. */
  public synchronized Optional<Known> borrow() {
    if (epoch().isEmpty()) {
      return Optional.empty();
    }
    lent = true;
    return Optional.of(
        new Known(generation, epoch, hosts, versions, List.copyOf(open.values()), waiting));
  }

  /** The transaction has committed, and opened these; or has done nothing. */
  public synchronized void giveBack(Known known, Collection<AttemptRow> opened) {
    if (known.generation() == generation && open != null) {
      opened.forEach(attempt -> open.put(attempt.key(), attempt));
      lent = false;
    }
  }

  /** A transaction of this replica has committed that may have changed or closed attempts. */
  public synchronized void note(Ledger committed) {
    if (open != null) {
      committed.attempts().removed().forEach(open::remove);
      committed.attempts().updated().forEach(attempt -> open.replace(attempt.key(), attempt));
    }
  }

  /**
   * What is known is not so.
   *
   * @return whether somebody was placing by it
   */
  public synchronized boolean forget() {
    boolean placing = lent;
    generation++;
    open = null;
    lent = false;
    return placing;
  }
}
