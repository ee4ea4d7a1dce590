package io.stoker.simulation;

/** What goes wrong, with how often at most in a run that draws its own mixture. */
enum Fault {
  /** A dispatcher dies: probability at each boundary between two of its effects. */
  CRASH_DISPATCHER(0.004),
  /** Likewise an agent. */
  CRASH_AGENT(0.004),
  /** The reply of a commit or of the broker is lost, though it was done. */
  REPLY_LOST(0.02),
  /** A transaction fails before it is done. */
  REFUSED(0.02),
  /** A record is in the log twice. */
  REPEATED(0.1),
  /** A reply or delivery takes seconds. */
  SLOW(0.02),
  /** A consumer starts from an older offset than it had committed. */
  REWOUND(0.5),
  /** A dispatcher is stopped for a while: probability per second. */
  PAUSE_DISPATCHER(0.04),
  /** Likewise an agent. */
  PAUSE_AGENT(0.05),
  /** A host cannot reach the broker for a while: probability per second. */
  CUT_OFF(0.04),
  /** A machine loses its power: probability per second. */
  REBOOT(0.02),
  /** The broker is away for a while: probability per second. */
  OUTAGE(0.01),
  /** Nothing starts on a machine for a while: probability per second. */
  BROKEN(0.05),
  /** People cordon or drain a host: probability per second. */
  CORDONED(0.03),
  /** A replica does not hear what another one tells it by Redis. */
  NEWS_LOST(1),
  /** A stored request cannot be read any more: probability per second. */
  POISONED(0.05),
  /** The journal of a machine cannot be written for a while: probability per second. */
  DISK_FULL(0.03),
  /** The spawner of a machine cannot be started for a while: probability per second. */
  HELPLESS(0.03),
  /** Another agent is started under a host's name: probability per second. */
  TWIN(0.04),
  /** Something of the heartbeat log is in it once more: probability per second. */
  REPLAYED(0.5),
  /** A host's agent loses its journal while jobs run: probability per second. */
  JOURNAL_LOST(0.02),
  /** The agents are of the build that knows no challenges. */
  FORMER_AGENTS(1),
  /** The death of an agent is that of its machine, which loses what was not forced to its disk. */
  POWER_CUT(0.5),
  /** The broker acknowledges a record of events, and loses it. */
  EVENT_LOST(0.05),
  /** The database's clock is set back or forth: probability per second. */
  CLOCK_SET(0.04),
  /** Somebody forges an event, or writes one again: probability per second. */
  FORGED(0.8),
  /** The database is lost, and put back as it was a while ago: probability in the run. */
  DATABASE_LOST(0.5),
  /** The key of a host's agent does not fit for a while: probability per second. */
  MISFIT(0.03),
  /** A request asks for what no host has: of so many requests. */
  HOPELESS(0.1),
  /** A worker of a pool ends by itself: probability at each boundary of what it does. */
  WORKER_CRASH(0.1),
  /**
   * It takes longer than it may until it is ready, or ends, or looks too late at what it is told.
   */
  WORKER_LATE(0.2),
  /** It says something that is of no job at hand: probability at each job. */
  WORKER_BABBLES(0.3),
  /** People tell a pool to reset, or to close, or to open: probability per second. */
  POOL_TOLD(0.15),
  /** The process of a staged job ends by itself: probability at each boundary of what it does. */
  STAGED_CRASH(0.1),
  /** It runs out of memory, whatever there is: probability at each load and training. */
  STAGED_FULL(0.5),
  /** It takes seconds until it says anything: likewise. */
  STAGED_STALLS(0.2),
  /** It says more than it was asked, or of another command: probability at each answer. */
  STAGED_BABBLES(0.3);

  /** At most, in a run that draws its own mixture. */
  final double most;

  Fault(double most) {
    this.most = most;
  }
}
