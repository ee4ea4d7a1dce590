package io.stoker.simulation;

/** What can be broken on purpose, to show that the simulation notices: by which rule, and where. */
enum Defect {
  /** An unaccepted attempt is closed when its time has passed, without evidence from its host. */
  CLOSE_BY_TIME_ALONE(Mixtures.LOSING, "two attempts of job", 63),
  /** No watchdog: jobs outlive the lease of a stopped agent. */
  NO_WATCHDOG(Mixtures.STALLED, "after its time was up", 4),
  /** Nobody looks whether the last status of a request is its newest. */
  TRUST_LAST_STATUSES(Mixtures.DEADLY, "is not its newest", 3),
  /** Statuses that no record names are not owed by rows. */
  FORGET_DUE_STATUSES(Mixtures.DEADLY, "was never published"),
  /** Nobody looks for failed jobs whose wait is over. */
  FORGET_WAITS(Mixtures.FORGETFUL, "is QUEUED", 7),
  /** Agents act before they journal. */
  ACT_BEFORE_JOURNAL(Mixtures.NONE, "before its acceptance is in the journal"),
  /** Agents go on, on a full disk, as if they had journaled. */
  FORGET_TO_HOLD(Mixtures.FULL, "before its acceptance is in the journal"),
  /** A pass does not look who is cordoned or drained. */
  FORGET_CORDONS(Mixtures.KEPT_OFF, "which is cordoned"),
  /** A pass does not look on which hosts nothing starts. */
  FORGET_SUSPICIONS(Mixtures.KEPT_OFF, "which is suspect", 7),
  /** A pass does not count what of hosts' memory is promised. */
  FORGET_HOST_MEMORY(Mixtures.KEPT_OFF, "is promised beyond its memory", 4),
  /** What ran out of memory is placed as if it had not. */
  FORGET_OUT_OF_MEMORY(Mixtures.NONE, "and is to share", 101),
  /** A pass does not count those that share GPUs. */
  FORGET_SHARERS(Mixtures.KEPT_OFF, "beyond the memory of its GPUs", 68),
  /** A shared job keeps needs that nobody can serve, though another one asks for less. */
  FORGET_NEEDS(Mixtures.HOPELESS, "waits behind an equal", 183),
  /** An event is believed for its host's signature, without a proof of its attempt's token. */
  BELIEVE_HOST_KEYS(Mixtures.FORGED, "that was forged"),
  /** A hello is welcomed though it does not answer the challenge. */
  NO_CHALLENGE(Mixtures.REPLAYED, "is granted a second epoch"),
  /** What an agent that says hello does not hold is closed at once. */
  CLOSE_AT_HELLO(Mixtures.REPLAYED_BEFORE, "two attempts of job"),
  /** An agent goes on in its epoch though it is told that there is a newer one. */
  IGNORE_NEWER_EPOCHS(Mixtures.REPLAYED_BEFORE, "does not come to rest"),
  /** Nobody corrects the clock by which all is due when the database's is set. */
  FOLLOW_CLOCK(Mixtures.CLOCKS, "does not come to rest", 40),
  /** Agents keep what is called back. */
  IGNORE_CALL_BACKS(Mixtures.NONE, "is held behind the slots", 9),
  /** What is called back is placed again before its agent has returned it. */
  PLACE_CALLED_BACK(Mixtures.SLOW, "two attempts of job", 125),
  /** Who places by memory does not look whether hosts have changed. */
  FORGET_HOST_VERSIONS(Mixtures.KEPT_OFF, "which is cordoned", 4),
  /** What has taken long once is not looked at again. */
  NEVER_LOOK_AGAIN(Mixtures.NONE, "does not come to rest"),
  /** Who places in another transaction does not look whether the fleet is its own. */
  PLACE_WITHOUT_FLEET(Mixtures.FORGETFUL, "is promised beyond what it has", 306),
  /** Messages of a host that are refused for their key are taken for nothing. */
  TAKE_REFUSAL_FOR_SILENCE(Mixtures.MISFIT, "two attempts of job"),
  /** A pass does not look who may run what a restored database does not know. */
  PLACE_UNSETTLED(Mixtures.RESTORED, "at once", 15),
  /** What is named before it is posted gets no row. */
  FORGET_PLACEHOLDERS(Mixtures.NONE, "does not come to rest", 61),
  /** Who cancels a request does not see who shares its job. */
  CANCEL_FOR_ALL(Mixtures.NONE, "and nobody has asked for that", 13),
  /** Requests are read without their locks, and written. */
  READ_WITHOUT_LOCKS(Mixtures.NONE, "that it has not locked"),
  /** What a request still waits for is counted without its lock. */
  COUNT_UNLOCKED(Mixtures.AWAY, "does not come to rest", 926),
  /** What fails since the database is away is put down to what it was done for. */
  TAKE_OUTAGES_FOR_DATA(Mixtures.REFUSING, "and nothing is wrong with it", 73),
  /** What fails by itself counts as an outage: nothing is done apart, or set aside. */
  TAKE_DATA_FOR_OUTAGES(Mixtures.POISONED, "does not come to rest", 2),
  /** What ends a request by itself gives it no higher version. */
  KEEP_VERSIONS(Mixtures.NONE, "without a higher version"),
  /** Statuses are taken for published before the broker has them. */
  ACKNOWLEDGE_BEFORE_STATUSES(Mixtures.STRUCK, "nothing is said of request"),
  /** Who schedules loses the fleet when its claim is old by the database's clock. */
  CLAIM_BY_DATABASE_CLOCK(Mixtures.CLOCKS_AND_DEATHS, "does not come to rest", 114),
  /** The database has patience for ever with who is dead or stopped. */
  NO_TIME_OUTS(Mixtures.FORGETFUL, "does not come to rest", 4),
  /** Nobody looks for attempts that were not accepted. */
  FORGET_UNACCEPTED(Mixtures.FORGETFUL, "is PLACED", 14),
  /** A sweep sees nothing that waits: wake-ups alone tell of it. */
  SEE_NOTHING_PENDING(Mixtures.FORGETFUL, "does not come to rest", 212),
  /** Hosts are lost before their leases are over. */
  EXPIRE_EARLY(Mixtures.CUT_OFF, "two attempts of job"),
  /** A pass does not look which hosts say that they take nothing. */
  FORGET_UNUSABLE(Mixtures.HELPLESS, "which takes nothing"),
  /** After a restore topics are read from where they end. */
  FORGET_POSITIONS(Mixtures.RESTORED, "is lost"),
  /** A restore gives the epochs of hosts again. */
  KEEP_HOST_EPOCHS(Mixtures.RESTORED, "does not come to rest"),

  /** An agent takes what comes after it has expired. */
  ACCEPT_LATE(Mixtures.VERY_SLOW, "and is closed", 34),
  /** An agent that is past its deadline goes on in its epoch. */
  KEEP_EPOCH(Mixtures.CUT_OFF, "does not come to rest"),
  /** An agent takes what has ended and is placed again by an old record. */
  ACCEPT_AGAIN(Mixtures.ECHOES, "after its end"),
  /** The member of a gang starts before all others have accepted theirs. */
  START_BEFORE_GANG(Mixtures.SLOW, "has accepted rank"),
  /** An agent forgets to end what it does not have yet. */
  FORGET_EARLY_CANCELS(Mixtures.VERY_SLOW, "though it was cancelled", 135),
  /** An agent does not say again what it is asked for. */
  IGNORE_REPORTS(Mixtures.LOSING, "does not come to rest"),
  /** An agent does not tell what it holds, each time after a while. */
  NO_INVENTORIES(Mixtures.LOSING, "does not come to rest"),
  /** An agent starts what it has given back. */
  RUN_RETURNED(Mixtures.HELPLESS, "after its end", 8),
  /** An agent says that an attempt runs which has ended. */
  RUNNING_AFTER_END(Mixtures.NONE, "is told after its end"),
  /** An agent tells the end of an attempt as that of the next one. */
  END_ANOTHER_ATTEMPT(Mixtures.NONE, "is not in its journal"),
  /** An agent signs with a key that is not the attempt's. */
  SIGN_WITH_ANY_TOKEN(Mixtures.NONE, "does not come to rest"),
  /** What the watchdog has killed counts as a failure of its job. */
  BLAME_JOBS_FOR_KILLS(Mixtures.CUT_OFF, "has failed by itself"),
  /** A process whose end nobody saw is said to have succeeded. */
  BELIEVE_UNSEEN_ENDS(Mixtures.POWERLESS, "none of its processes has", 214),
  /** An agent tells an end without the result of its process. */
  LOSE_RESULTS(Mixtures.NONE, "without the result of its process"),
  /** The lease is counted from the broker's reply, not from the sending of the heartbeat. */
  COUNT_LEASE_FROM_REPLY(Mixtures.NONE, "and the last heartbeat was sent"),
  /** The lease is renewed by a heartbeat that the broker does not have yet. */
  RENEW_BEFORE_BROKER(Mixtures.NONE, "and the last heartbeat was sent"),
  /** The watchdog is given more time than the lease has. */
  LATE_DEADLINE(Mixtures.NONE, "and the last heartbeat was sent"),
  /** An agent does not journal what it accepts. */
  FORGET_ACCEPTANCES(Mixtures.NONE, "before its acceptance is in the journal"),
  /** An agent does not journal what has ended. */
  FORGET_ENDS(Mixtures.NONE, "told before it is on the disk"),
  /** The journal is said to be on the disk before it is. */
  SAY_FORCED(Mixtures.NONE, "told before it is on the disk"),
  /** An agent does not journal which numbers it has used. */
  REUSE_NUMBERS(Mixtures.DYING, "is told by", 230),
  /** The journal is cut before it is written anew. */
  COMPACT_IN_PLACE(Mixtures.NONE, "in place of []"),
  /** A journal that is written anew holds no ends. */
  COMPACT_WITHOUT_ENDS(Mixtures.SLOW, "is written anew"),
  /** An agent that starts does not read which attempts have ended. */
  RELIVE_ENDED(Mixtures.DYING, "is written anew", 11),
  /** An agent that starts does not read which gangs are complete. */
  FORGET_JOINED(Mixtures.DYING, "does not come to rest", 148),
  /** An agent that starts does not read what was accepted. */
  FORGET_ACCEPTED(Mixtures.DYING, "gets more time", 16),
  /** An agent that starts does not know which devices are taken. */
  FORGET_DEVICES(Mixtures.DYING, "is written anew", 16),
  /** An agent that starts does not know how much of its devices is promised. */
  FORGET_DEVICE_MEMORY(Mixtures.DYING, "is written anew", 16),
  /** An agent gives the first device to all. */
  GIVE_FIRST_DEVICE(Mixtures.NONE, "have device", 18),
  /** Devices are given to others before nothing is left on them. */
  CLEAN_AT_ONCE(Mixtures.NONE, "have device", 6),
  /** An agent starts what its journal holds, and does not look whether it runs. */
  LAUNCH_BLINDLY(Mixtures.DYING, "two attempts of job", 16),
  /** A process of another boot is taken for the one that was started. */
  ADOPT_ANY_PROCESS(Mixtures.POWERLESS, "does not come to rest", 22),
  /** What is told to end is said to have ended. */
  END_BY_WORD(Mixtures.NONE, "is told while it runs"),
  /** What is about to begin, and is told to end, is said not to begin. */
  REVOKE_BY_WORD(Mixtures.KEPT_OFF, "and is closed", 3),
  /** An agent does not tell what it holds. */
  HIDE_HELD(Mixtures.DYING, "two attempts of job"),
  /** A heartbeat does not tell what is held. */
  EMPTY_HEARTBEATS(Mixtures.LOSING, "two attempts of job", 342),
  /** A heartbeat proves what has expired by a clock that may be ahead. */
  PROVE_BY_FAST_CLOCK(Mixtures.SLOW, "and is closed"),
  /** An agent does not tell of what it holds how it ended. */
  HIDE_OUTCOMES(Mixtures.DEADLY, "does not come to rest", 46),
  /** All agents of a host's name seem to be in one place. */
  ONE_SEAT(Mixtures.DOUBLED, "two attempts of job", 7),
  /** A journal that was lost has the name of the one before. */
  ONE_JOURNAL(Mixtures.DISKLESS, "gets more time"),
  /** All starts of an agent say the same hello. */
  ONE_NONCE(Mixtures.DYING, "is granted a second epoch"),
  /** An agent does not put together what is told in parts. */
  FORGET_PARTS(Mixtures.NONE, "does not come to rest", 6),

  /** What a worker has said before it ended is not read when it has. */
  LEAVE_LAST_WORDS(Place.POOLS, Mixtures.CRASHING_WORKERS, "begins a second time", 244),
  /** What a worker is told not to begin is said not to have begun. */
  WITHDRAW_BY_WORD(Place.POOLS, Mixtures.CRASHING_WORKERS, "and is closed", 258),
  /** All that a worker was told has failed when it ends. */
  BLAME_ALL_TOLD(Place.POOLS, Mixtures.CRASHING_WORKERS, "has failed by itself"),
  /** A pool that is to give back what waits in it gives that to workers. */
  KEEP_WHAT_WAITS(Place.POOLS, Mixtures.TOLD_POOLS, "was closed", 4),
  /** What a worker says of another job is taken for its answer to the one at hand. */
  TAKE_ANY_ANSWER(Place.POOLS, Mixtures.BABBLING_WORKERS, "is told while it runs"),
  /** An agent that starts does not read what was told of its pools, and counted. */
  FORGET_POOLS(Place.POOLS, Mixtures.DYING, "and says", 23),
  /** An agent does not journal what it gives to workers. */
  FORGET_WHAT_IS_GIVEN(Place.POOLS, Mixtures.NONE, "before that is in the journal"),
  /** A worker that is told to end is said to have ended. */
  END_WORKERS_BY_WORD(Place.POOLS, Mixtures.CRASHING_WORKERS, "is told while it runs"),

  /** All staged jobs are told to train on the first device. */
  TRAIN_ON_FIRST_DEVICE(Place.STAGES, Mixtures.NONE, "have device", 18),
  /** A staged job is taken to have loaded as soon as it was told to. */
  TAKE_LOADS_FOR_DONE(Place.STAGES, Mixtures.NONE, "and has not loaded"),
  /** An answer to an older command is taken for one to the newest. */
  TAKE_OLDER_ANSWERS(Place.STAGES, Mixtures.BABBLING_STAGES, "before it has answered", 18),
  /** An agent that starts does not read what staged jobs have answered, and tells them again. */
  FORGET_ANSWERS(Place.STAGES, Mixtures.STAGES_AND_DEATHS, "and its journal says", 21),
  /** An agent that starts does not tell staged jobs again what may not have reached them. */
  FORGET_COMMANDS(Place.STAGES, Mixtures.STAGES_AND_DEATHS, "does not come to rest", 63),
  /** An agent that starts does not know how often stages were tried. */
  FORGET_TRIES(Place.STAGES, Mixtures.FULL_AND_DYING, "times, of at most", 7),
  /** An attempt whose tries are used up is told to have run out of memory, and is tried again. */
  TELL_TRIES_AS_OUT_OF_MEMORY(Place.STAGES, Mixtures.FULL_STAGES, "has run out of memory"),
  /** A staged job that ends well before it has trained is said to have succeeded. */
  SUCCEED_UNTRAINED(Place.STAGES, Mixtures.CRASHING_STAGES, "none of its processes has"),
  /** A staged job that waits again keeps its device. */
  KEEP_DEVICES(Place.STAGES, Mixtures.FULL_STAGES, "and keeps device", 8),
  /** An agent starts as many staged jobs as it likes. */
  FORGET_MAX_PROCESS(Place.STAGES, Mixtures.NONE, "staged processes are on", 5),
  /** As many of them wait on a host as come. */
  FORGET_MAX_WAITING(Place.STAGES, Mixtures.NONE, "is to start on"),

  /** A pass does not look what groups with a plan say. */
  FORGET_PLANS(Place.PLANS, Mixtures.NONE, "of group"),
  /** A pass does not count which jobs of a group are placed. */
  FORGET_PARALLEL(Place.PLANS, Mixtures.NONE, "has as many jobs as it may"),
  /** A group begins before the one has ended that it comes after. */
  FORGET_ORDER(Place.PLANS, Mixtures.NONE, "before the one has ended", 4),
  /** What stood in line before its group got a plan does not go by that. */
  FORGET_LANES(Place.PLANS, Mixtures.NONE, "of group", 59),
  /** Who takes a request in does not see to it that its group does not end meanwhile. */
  JOIN_UNGUARDED(Place.PLANS, Mixtures.NONE, "is taken into", 557),
  /** A message makes a group each time that it comes. */
  MAKE_GROUPS_AGAIN(Place.PLANS, Mixtures.NONE, "makes a second group"),
  /** A group waits for the end of one that waits for a job of its own. */
  WAIT_FOR_EACH_OTHER(Place.PLANS, Mixtures.NONE, "does not come to rest", 260),
  /** Nobody looks at groups that have not ended. */
  FORGET_OPEN_PLANS(Place.PLANS, Mixtures.NONE, "does not come to rest", 4),
  /** What a group that is stopped has in line stays there. */
  SPARE_STOPPED(Place.PLANS, Mixtures.NONE, "does not come to rest", 11);

  /** Where it is. */
  enum Place {
    POOLS,
    STAGES,
    PLANS,
    ELSEWHERE
  }

  final Place place;

  /** What goes wrong besides. */
  final Faults faults;

  /** What the rule says that notices. */
  final String complaint;

  /**
   * The seed from which on a run is looked for that notices: one that few runs notice is found at
   * once from where it was found before, as long as the simulation draws as it did then.
   */
  final long from;

  Defect(Faults faults, String complaint) {
    this(faults, complaint, 1);
  }

  Defect(Faults faults, String complaint, long from) {
    this(Place.ELSEWHERE, faults, complaint, from);
  }

  Defect(Place place, Faults faults, String complaint) {
    this(place, faults, complaint, 1);
  }

  Defect(Place place, Faults faults, String complaint, long from) {
    this.place = place;
    this.faults = faults;
    this.complaint = complaint;
    this.from = from;
  }
}
