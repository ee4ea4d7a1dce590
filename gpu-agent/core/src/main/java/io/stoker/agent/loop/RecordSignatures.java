package io.stoker.agent.loop;

import io.stoker.agent.key.AgentKey;
import java.util.Optional;

/**
 * Tells which records of the placements topic are believed to come from a dispatcher. A signature
 * covers host, epoch and messages. That a record is signed and comes again is not seen here: the
 * epoch refuses it, and within an epoch the journaled numbers of attempts do ({@code
 * PlacementRules}).
 *
 * <p>Dispatchers of the build before sign nothing, so an agent takes unsigned records until it has
 * read the first one that is signed. It journals that: from then on nobody can pass for an older
 * dispatcher. Not for two threads at once.
 */
public final class RecordSignatures {
  /** When records must be signed. */
  public enum Demand {
    /** From the first one that is, for ever. */
    ONCE_SEEN,
    ALWAYS,
    /** Nobody looks, as without a key. */
    NEVER
  }

  private final Optional<AgentKey> key;
  private boolean demanded;

  /** What a record's signature says of it. */
  enum Verdict {
    /** Nothing: no key is known, or no signature demanded. */
    OPEN,
    GENUINE,
    UNSIGNED,
    WRONG
  }

  /**
   * @param hostKey of this host
   * @param seen whether an agent of this journal has read a signed record
   * @throws IllegalArgumentException if signatures are always demanded and there is no key
   */
  public RecordSignatures(AgentKey hostKey, Demand demand, boolean seen) {
    if (demand == Demand.ALWAYS && hostKey.signing().isEmpty()) {
      throw new IllegalArgumentException("signed placements are demanded, and there is no key");
    }
    key =
        demand == Demand.NEVER
            ? Optional.empty()
            : Optional.of(hostKey).filter(own -> own.signing().isPresent());
    demanded = key.isPresent() && (seen || demand == Demand.ALWAYS);
  }

  /** Nobody signs here. */
  public static RecordSignatures none() {
    return new RecordSignatures(AgentKey.none(), Demand.NEVER, false);
  }

  /**
   * Looks at a record.
   *
   * @param claimed whether it has a signature
   */
  Verdict of(byte[] record, boolean claimed) {
    if (key.isEmpty()) {
      return Verdict.OPEN;
    }
    if (key.get().isSealed(record)) {
      return Verdict.GENUINE;
    }
    if (claimed) {
      return Verdict.WRONG;
    }
    return demanded ? Verdict.UNSIGNED : Verdict.OPEN;
  }

  /**
   * A genuine record was read.
   *
   * @return whether it is the first one by which signatures are demanded
   */
  boolean seen() {
    boolean first = !demanded;
    demanded = true;
    return first;
  }
}
