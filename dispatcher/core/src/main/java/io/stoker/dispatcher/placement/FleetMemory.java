package io.stoker.dispatcher.placement;

import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.model.UnitOfWork;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Caches the fleet for the scheduler between transactions: the hosts and open attempts that a pass
 * has read, with the changes by this replica's own transactions since. A cache: now and then a pass
 * reads everything anew.
 *
 * <p>While an epoch holds, its holder alone opens attempts. So what is open is never missing here.
 * What another replica has closed is thought to be open until it is read anew, which that replica
 * asks for: room is found late, and never given twice. That needs two things. One transaction at a
 * time places by what is known here, and says what it opened once its commit is known; where that
 * stays unknown, so does the fleet, until a pass has read it. And a pass that begins keeps all
 * others from placing by it.
 */
public final class FleetMemory {
  /** So many transactions commit within no pass: whoever began it is gone. */
  private static final int MOST_NOTED = 10_000;

  private long generation;
  private Known known;

  /** Null while nothing is known. */
  private Map<AttemptRow.Key, AttemptRow> open;

  /** Whether another replica has said that it closed attempts, since all was read. */
  private boolean outdated;

  /** Whether somebody places by it who has not said yet what came of it. */
  private boolean lent;

  /** What was committed since the pass in progress began; null if there is none. */
  private List<UnitOfWork> since;

  /** Whether a pass of its own waits for the one in progress. */
  private boolean awaited;

  /**
   * What is known.
   *
   * @param generation the pass that read it, or went by it
   * @param epoch of the fleet, under which it was read
   * @param readAt when all of it was read, ms on a clock that never goes back
   * @param versions of the hosts' rows, by host: read before the rows, so none is newer than them
   * @param open attempts that may be open
   * @param settled whether all others in line are among {@code waiting}, and room is kept for none
   * @param waiting who is in line since no host had room, or could serve them
   */
  public record Known(
      long generation,
      long epoch,
      long readAt,
      List<HostRow> hosts,
      Map<String, String> versions,
      List<AttemptRow> open,
      boolean settled,
      List<QueueHead> waiting) {
    /** Whether these are all that are in line. */
    boolean waits(Set<String> line) {
      return waiting.stream().map(QueueHead::job).collect(Collectors.toSet()).equals(line);
    }
  }

  /**
   * A pass begins: nobody else places by what is known until it has committed.
   *
   * @return what it is to say then
   */
  public synchronized long begin() {
    if (lent || since != null) {
      forget();
    }
    generation++;
    since = new ArrayList<>();
    awaited = false;
    return generation;
  }

  /**
   * As {@link #begin}, of a pass within another transaction.
   *
   * @return nothing if nothing is known under this epoch, or somebody else places by it or waits
   */
  public synchronized OptionalLong join(long epoch) {
    boolean free = open != null && !lent && since == null && !awaited && known.epoch() == epoch;
    return free ? OptionalLong.of(begin()) : OptionalLong.empty();
  }

  /**
   * Whether a pass is in progress, within another transaction. Whoever begins one meanwhile makes
   * both read all anew: so it waits, and no other one joins before it.
   */
  public synchronized boolean await() {
    awaited = since != null;
    return awaited;
  }

  /** Whether a pass has waited until now, told once. */
  public synchronized boolean takeAwaited() {
    boolean over = awaited && since == null;
    if (over) {
      awaited = false;
    }
    return over;
  }

  /** The pass has placed nothing, and read nothing. */
  public synchronized void leave(long pass) {
    if (pass == generation) {
      since = null;
    }
  }

  /** What is known by now, for the pass that began last; nothing if it must read. */
  public synchronized Optional<Known> known(long pass) {
    return pass == generation && open != null ? Optional.of(now()) : Optional.empty();
  }

  private Known now() {
    return new Known(
        generation,
        known.epoch(),
        known.readAt(),
        known.hosts(),
        known.versions(),
        open(),
        known.settled(),
        known.waiting());
  }

  /** Another replica may have closed attempts: what is known is to be read anew. */
  public synchronized void changedElsewhere() {
    outdated = true;
  }

  /** Whether another replica may have closed attempts since all was read. */
  public synchronized boolean isOutdated() {
    return outdated;
  }

  /**
   * A pass begins to read all. Returns whether another replica had asked for it, which is to be
   * said again if it comes to nothing.
   */
  public synchronized boolean readAnew() {
    boolean asked = outdated;
    outdated = false;
    return asked;
  }

  /** What is thought to be open; nothing if nothing is known. */
  public synchronized List<AttemptRow> open() {
    return open == null ? List.of() : List.copyOf(open.values());
  }

  /** A pass has committed that read this, or went by it, and opened what is among {@code open}. */
  public synchronized void learn(Known read) {
    if (read.generation() != generation) {
      return;
    }
    known = read;
    open = new LinkedHashMap<>();
    read.open().forEach(attempt -> open.put(attempt.key(), attempt));
    since.forEach(this::apply);
    since = null;
    lent = false;
  }

  /** The fleet's epoch, if somebody may place new jobs by what is known of it. */
  public synchronized OptionalLong epoch() {
    return open == null || lent || since != null || !known.settled()
        ? OptionalLong.empty()
        : OptionalLong.of(known.epoch());
  }

  /** What is known, for a transaction that may place by it; nobody else can until it is back. */
  public synchronized Optional<Known> borrow() {
    if (epoch().isEmpty()) {
      return Optional.empty();
    }
    lent = true;
    return Optional.of(now());
  }

  /** The transaction has committed, and opened these; or has done nothing. */
  public synchronized void giveBack(Known known, Collection<AttemptRow> opened) {
    if (known.generation() == generation && open != null) {
      opened.forEach(attempt -> open.put(attempt.key(), attempt));
      lent = false;
    }
  }

  /** A transaction of this replica has committed that may have changed or closed attempts. */
  public synchronized void note(UnitOfWork committed) {
    if (since != null) {
      since.add(committed);
    }
    if (open != null) {
      apply(committed);
    }
    if (since != null && since.size() > MOST_NOTED) {
      forget();
    }
  }

  private void apply(UnitOfWork committed) {
    committed.attempts().removed().forEach(open::remove);
    committed.attempts().updated().forEach(attempt -> open.replace(attempt.key(), attempt));
  }

  /** What is known is not so. Returns whether somebody was placing by it. */
  public synchronized boolean forget() {
    boolean placing = lent || since != null;
    generation++;
    open = null;
    since = null;
    lent = false;
    return placing;
  }
}
