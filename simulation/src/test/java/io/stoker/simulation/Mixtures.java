package io.stoker.simulation;

/** Mixtures of faults in which what is broken on purpose soon shows. */
final class Mixtures {
  /** Each seed draws its own; then the database is lost in some. */
  static final Faults DRAWN = null;

  static final Faults NONE = Faults.none();

  /** Nothing but slow networks: events come after the time in which to accept. */
  static final Faults SLOW = NONE.with(Fault.SLOW, 0.08);

  /** Nothing but agents that die, or are stopped past their lease. */
  static final Faults CRASHING = NONE.with(Fault.CRASH_AGENT, 0.02).with(Fault.PAUSE_AGENT, 0.05);

  /** Nothing but agents that die. */
  static final Faults DYING = NONE.with(Fault.CRASH_AGENT, 0.04);

  /** The same, and disks that are full for a while. */
  static final Faults FULL = CRASHING.with(Fault.DISK_FULL, 0.1);

  /** Nothing but machines that lose their power, some while their agents write. */
  static final Faults POWERLESS = NONE.with(Fault.CRASH_AGENT, 0.03).with(Fault.POWER_CUT, 0.8);

  /** The same, and more of it. */
  static final Faults VERY_SLOW = NONE.with(Fault.SLOW, 0.3);

  /** Slow networks, and agents that die. */
  static final Faults SLOW_AND_DYING = VERY_SLOW.with(Fault.CRASH_AGENT, 0.02);

  /** What was sent comes again, late, when nothing has started. */
  static final Faults ECHOES =
      NONE.with(Fault.REPLY_LOST, 0.4).with(Fault.SLOW, 0.1).with(Fault.BROKEN, 0.2);

  /** Nothing but spawners that cannot be started. */
  static final Faults HELPLESS = NONE.with(Fault.HELPLESS, 0.2);

  /** Nothing but forged events. */
  static final Faults FORGED = NONE.with(Fault.FORGED, 0.8);

  /** Nothing but requests that ask for what no host has. */
  static final Faults HOPELESS = NONE.with(Fault.HOPELESS, 0.5);

  /** Nothing but agents whose keys do not fit for a while. */
  static final Faults MISFIT = NONE.with(Fault.MISFIT, 0.1);

  /** Nothing but clocks that are set. */
  static final Faults CLOCKS = NONE.with(Fault.CLOCK_SET, 0.1);

  /** Nothing but a database that is lost. */
  static final Faults RESTORED = NONE.with(Fault.DATABASE_LOST, 1);

  /** Nothing but events that the broker loses. */
  static final Faults LOSING = NONE.with(Fault.EVENT_LOST, 0.5);

  /** Nothing but agents of hosts' names. */
  static final Faults DOUBLED = NONE.with(Fault.TWIN, 0.1).with(Fault.CRASH_AGENT, 0.01);

  /** Nothing but agents that are stopped. */
  static final Faults STALLED = NONE.with(Fault.PAUSE_AGENT, 0.1);

  /** Nothing but journals that are lost. */
  static final Faults DISKLESS = NONE.with(Fault.JOURNAL_LOST, 0.1);

  /** Nothing but hosts that are cut off, and slow networks. */
  static final Faults CUT_OFF = NONE.with(Fault.CUT_OFF, 0.1).with(Fault.SLOW, 0.02);

  /** Nothing but dispatchers that die, or are stopped, and machines on which nothing starts. */
  static final Faults FORGETFUL =
      NONE.with(Fault.CRASH_DISPATCHER, 0.02)
          .with(Fault.PAUSE_DISPATCHER, 0.05)
          .with(Fault.BROKEN, 0.1);

  /** Nothing but people, and machines on which nothing starts. */
  static final Faults KEPT_OFF = NONE.with(Fault.BROKEN, 0.1).with(Fault.CORDONED, 0.1);

  /** Nothing but what hosts have said being in the log again, and agents that die. */
  static final Faults REPLAYED = NONE.with(Fault.CRASH_AGENT, 0.01).with(Fault.REPLAYED, 0.8);

  /** The same where hellos answer no challenges. */
  static final Faults REPLAYED_BEFORE = REPLAYED.with(Fault.FORMER_AGENTS, 1);

  static final Faults DEADLY =
      NONE.with(Fault.CRASH_DISPATCHER, 0.004)
          .with(Fault.CRASH_AGENT, 0.004)
          .with(Fault.REPLY_LOST, 0.02)
          .with(Fault.REFUSED, 0.02)
          .with(Fault.REPEATED, 0.05)
          .with(Fault.SLOW, 0.05)
          .with(Fault.REWOUND, 0.5)
          .with(Fault.PAUSE_DISPATCHER, 0.05)
          .with(Fault.PAUSE_AGENT, 0.05)
          .with(Fault.CUT_OFF, 0.05)
          .with(Fault.REBOOT, 0.01)
          .with(Fault.OUTAGE, 0.01)
          .with(Fault.BROKEN, 0.02)
          .with(Fault.CORDONED, 0.02)
          .with(Fault.NEWS_LOST, 0.2);

  /** Nothing but a broker that is away: what comes then comes at once. */
  static final Faults AWAY = NONE.with(Fault.OUTAGE, 0.3);

  /** Dispatchers that die, while what they say is on its way, and read again what they had read. */
  static final Faults STRUCK =
      NONE.with(Fault.CRASH_DISPATCHER, 0.02).with(Fault.SLOW, 0.1).with(Fault.REWOUND, 0.9);

  /** Nothing but transactions that fail before they are done. */
  static final Faults REFUSING = NONE.with(Fault.REFUSED, 0.3);

  /** Nothing but stored requests that cannot be read any more. */
  static final Faults POISONED = NONE.with(Fault.POISONED, 0.2);

  /** Clocks that are set, and dispatchers that die. */
  static final Faults CLOCKS_AND_DEATHS = CLOCKS.with(Fault.CRASH_DISPATCHER, 0.02);

  /** Nothing but workers of pools that end by themselves, and look late at what they are told. */
  static final Faults CRASHING_WORKERS =
      NONE.with(Fault.WORKER_CRASH, 0.1).with(Fault.WORKER_LATE, 0.2);

  /** Nothing but workers of pools that say what nobody has asked for. */
  static final Faults BABBLING_WORKERS = NONE.with(Fault.WORKER_BABBLES, 0.5);

  /** Nothing but people who tell pools to close, and to open. */
  static final Faults TOLD_POOLS = NONE.with(Fault.POOL_TOLD, 0.2);

  /** Nothing but staged jobs that run out of memory. */
  static final Faults FULL_STAGES = NONE.with(Fault.STAGED_FULL, 0.7);

  /** Nothing but agents that die, and not all the time: where there are gates they do much. */
  static final Faults STAGES_AND_DEATHS = NONE.with(Fault.CRASH_AGENT, 0.006);

  /** The same, and staged jobs that run out of memory. */
  static final Faults FULL_AND_DYING = FULL_STAGES.with(Fault.CRASH_AGENT, 0.006);

  /** The same staged jobs, which say more than they are asked. */
  static final Faults BABBLING_STAGES = FULL_STAGES.with(Fault.STAGED_BABBLES, 0.7);

  /** Nothing but processes of staged jobs that end by themselves. */
  static final Faults CRASHING_STAGES = NONE.with(Fault.STAGED_CRASH, 0.3);

  private Mixtures() {}
}
