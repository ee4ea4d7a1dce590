package io.stoker.e2e.simulation;

/** What can be broken on purpose, to show that the simulation notices: by which rule, and where. */
enum Defect {
  /** An unaccepted attempt is closed when its time has passed, without evidence from its host. */
  CLOSE_BY_TIME_ALONE(Mixtures.SLOW, "two attempts of job"),
  /** No watchdog: jobs outlive the lease of a stopped agent. */
  NO_WATCHDOG(Mixtures.CRASHING, "two attempts of job"),
  /** Nobody looks whether the last status of a request is its newest. */
  TRUST_LAST_STATUSES(Mixtures.DEADLY, "is not its newest"),
  /** Statuses that no record names are not owed by rows. */
  FORGET_DUE_STATUSES(Mixtures.DEADLY, "was never published"),
  /** Nobody looks for failed jobs that wait but the replica that let them wait. */
  FORGET_WAITS(Mixtures.FORGETFUL, "is QUEUED"),
  /** Agents act before they journal. */
  ACT_BEFORE_JOURNAL(Mixtures.CRASHING, "two attempts of job"),
  /** Agents go on, on a full disk, as if they had journaled. */
  FORGET_TO_HOLD(Mixtures.FULL, "two attempts of job"),
  /** A pass does not look who is cordoned or drained. */
  FORGET_CORDONS(Mixtures.KEPT_OFF, "which is cordoned"),
  /** A pass does not look on which hosts nothing starts. */
  FORGET_SUSPICIONS(Mixtures.KEPT_OFF, "which is suspect"),
  /** A pass does not count what of hosts' memory is promised. */
  FORGET_HOST_MEMORY(Mixtures.KEPT_OFF, "is promised beyond its memory"),
  /** What ran out of memory is placed as if it had not. */
  FORGET_OUT_OF_MEMORY(Mixtures.KEPT_OFF, "and is to share"),
  /** A pass does not count those that share GPUs. */
  FORGET_SHARERS(Mixtures.KEPT_OFF, "beyond the memory of its GPUs"),
  /** A shared job keeps needs that nobody can serve, though another one asks for less. */
  FORGET_NEEDS(Mixtures.KEPT_OFF, "waits behind an equal"),
  /** An event is believed for its host's signature, without a proof of its attempt's token. */
  BELIEVE_HOST_KEYS(Mixtures.NONE, "that was forged"),
  /** A hello is welcomed though it does not answer the challenge. */
  NO_CHALLENGE(Mixtures.REPLAYED, "is granted a second epoch"),
  /** What an agent that says hello does not hold is closed at once. */
  CLOSE_AT_HELLO(Mixtures.REPLAYED_BEFORE, "two attempts of job"),
  /** An agent goes on in its epoch though it is told that there is a newer one. */
  IGNORE_NEWER_EPOCHS(Mixtures.REPLAYED_BEFORE, "does not come to rest"),
  /** Nobody corrects the clock by which all is due when the database's is set. */
  FOLLOW_CLOCK(Mixtures.NONE, "does not come to rest"),
  /** A pass does not look who may run what a restored database does not know. */
  PLACE_UNSETTLED(Mixtures.DRAWN, "at once");

  /** What goes wrong besides. */
  final Faults faults;

  /** What the rule says that notices. */
  final String complaint;

  Defect(Faults faults, String complaint) {
    this.faults = faults;
    this.complaint = complaint;
  }
}
