package io.stoker.dispatcher.placement;

import java.util.Comparator;

/**
 * Chooses among hosts that suit a job equally. With a seed it is as if drawn by lot, for each job
 * anew: no host is worn by being the first of its fleet. The same seed always gives the same, so a
 * pass stays a function of what it looks at.
 *
 * @param seed null for the first by name
 */
public record TieBreaker(Long seed) {
  /** The first by name. */
  public static final TieBreaker BY_NAME = new TieBreaker(null);

  /** Of a job's hosts, the greatest first. */
  Comparator<HostCapacity> of(String job) {
    Comparator<HostCapacity> byName =
        Comparator.comparing(HostCapacity::id, Comparator.reverseOrder());
    if (seed == null) {
      return byName;
    }
    return Comparator.<HostCapacity>comparingLong(capacity -> lot(job, capacity.id()))
        .thenComparing(byName);
  }

  private long lot(String job, String host) {
    long mixed =
        seed * 0x9e3779b97f4a7c15L + job.hashCode() * 0x632be59bd9b4e019L + host.hashCode();
    mixed = (mixed ^ mixed >>> 30) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ mixed >>> 27) * 0x94d049bb133111ebL;
    return mixed ^ mixed >>> 31;
  }
}
