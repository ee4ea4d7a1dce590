package io.stoker.e2e.simulation;

/** What can be broken on purpose, to show that the simulation notices. */
enum Defect {
  /** An unaccepted attempt is closed when its time has passed, without evidence from its host. */
  CLOSE_BY_TIME_ALONE,
  /** No watchdog: jobs outlive the lease of a stopped agent. */
  NO_WATCHDOG,
  /** Nobody looks whether the last status of a request is its newest. */
  TRUST_LAST_STATUSES,
  /** Statuses that no record names are not owed by rows. */
  FORGET_DUE_STATUSES,
  /** Nobody looks for failed jobs that wait but the replica that let them wait. */
  FORGET_WAITS,
  /** Agents act before they journal. */
  ACT_BEFORE_JOURNAL,
  /** Agents go on, on a full disk, as if they had journaled. */
  FORGET_TO_HOLD,
  /** A pass does not look who is cordoned or drained. */
  FORGET_CORDONS,
  /** A pass does not look on which hosts nothing starts. */
  FORGET_SUSPICIONS,
  /** A pass does not count what of hosts' memory is promised. */
  FORGET_HOST_MEMORY,
  /** What ran out of memory is placed as if it had not. */
  FORGET_OUT_OF_MEMORY,
  /** A pass does not count those that share GPUs. */
  FORGET_SHARERS,
  /** A shared job keeps needs that nobody can serve, though another one asks for less. */
  FORGET_NEEDS,
  /** An event is believed for its host's signature, without a proof of its attempt's token. */
  BELIEVE_HOST_KEYS,
  /** A hello is welcomed though it does not answer the challenge. */
  NO_CHALLENGE,
  /** What an agent that says hello does not hold is closed at once. */
  CLOSE_AT_HELLO,
  /** An agent goes on in its epoch though it is told that there is a newer one. */
  IGNORE_NEWER_EPOCHS,
  /** Nobody corrects the clock by which all is due when the database's is set. */
  FOLLOW_CLOCK,
  /** Agents keep what is called back. */
  IGNORE_CALL_BACKS,
  /** What is called back is placed again before its agent has returned it. */
  PLACE_CALLED_BACK,
  /** A pass does not look who may run what a restored database does not know. */
  PLACE_UNSETTLED
}
