package io.stoker.agent.device;

import java.util.OptionalLong;

/** The answer to a demand. */
public sealed interface Decision {
  /** Given: the ledger as it is from now on. */
  record Granted(DeviceLedger ledger, Allocation allocation) implements Decision {}

  /**
   * Not given; nothing has changed.
   *
   * @param sentence what was asked and what there is, for people
   * @param until when the same may be granted, by the clock of the question, if nothing but time is
   *     in the way; empty where nobody can say
   */
  record Refused(Refusal refusal, String sentence, OptionalLong until) implements Decision {
    public Refused(Refusal refusal, String sentence) {
      this(refusal, sentence, OptionalLong.empty());
    }
  }

  /** Why a demand is refused, for machines. */
  enum Refusal {
    /** There is enough, but not free now. */
    NOT_NOW,
    /** More than this host has, or a device it does not have. */
    NEVER_FITS,
    /** A GPU is needed and the host has none. */
    NO_GPU
  }
}
