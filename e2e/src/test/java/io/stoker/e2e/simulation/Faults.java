package io.stoker.e2e.simulation;

/**
 * What goes wrong in a run, and how often. Every seed draws its own mixture, in which some faults
 * are absent: a fault that is always there hides what only its absence shows.
 *
 * @param crashDispatcher probability at each boundary between two effects of a dispatcher
 * @param crashAgent likewise of an agent
 * @param replyLost probability that a commit's or the broker's reply is lost, though it was done
 * @param refused probability that a transaction fails before it is done
 * @param repeated probability that a record is in the log twice
 * @param slow probability that a reply or delivery takes seconds
 * @param rewound probability that a consumer starts from an older offset than it had committed
 * @param pauseDispatcher probability per second that one is stopped for a while
 * @param pauseAgent likewise of agents
 * @param cutOff probability per second that a host cannot reach the broker for a while
 * @param reboot probability per second that a machine loses its power
 * @param outage probability per second that the broker is away for a while
 * @param broken probability per second that nothing starts on a machine for a while
 * @param cordoned probability per second that people cordon or drain a host
 * @param newsLost probability that a replica does not hear what another one tells it by Redis
 * @param poisoned probability per second that a stored request cannot be read any more
 * @param diskFull probability per second that the journal of a machine cannot be written for a
 *     while
 * @param helpless probability per second that the spawner of a machine cannot be started for a
 *     while
 * @param twin probability per second that another agent is started under a host's name
 * @param replayed probability per second that something of the heartbeat log is in it once more
 * @param journalLost probability per second that a host's agent loses its journal while jobs run
 * @param formerAgents probability that the agents are of the build that knows no challenges
 */
record Faults(
    double crashDispatcher,
    double crashAgent,
    double replyLost,
    double refused,
    double repeated,
    double slow,
    double rewound,
    double pauseDispatcher,
    double pauseAgent,
    double cutOff,
    double reboot,
    double outage,
    double broken,
    double cordoned,
    double newsLost,
    double poisoned,
    double diskFull,
    double helpless,
    double twin,
    double replayed,
    double journalLost,
    double formerAgents) {

  /** Nothing is poisoned, disks have room, helpers start, and no stranger speaks for a host. */
  Faults(
      double crashDispatcher,
      double crashAgent,
      double replyLost,
      double refused,
      double repeated,
      double slow,
      double rewound,
      double pauseDispatcher,
      double pauseAgent,
      double cutOff,
      double reboot,
      double outage,
      double broken,
      double cordoned,
      double newsLost) {
    this(
        crashDispatcher,
        crashAgent,
        replyLost,
        refused,
        repeated,
        slow,
        rewound,
        pauseDispatcher,
        pauseAgent,
        cutOff,
        reboot,
        outage,
        broken,
        cordoned,
        newsLost,
        0,
        0,
        0,
        0,
        0,
        0,
        0);
  }

  /** The same, and disks that are full for a while. */
  Faults withDiskFull(double probability) {
    return new Faults(
        crashDispatcher,
        crashAgent,
        replyLost,
        refused,
        repeated,
        slow,
        rewound,
        pauseDispatcher,
        pauseAgent,
        cutOff,
        reboot,
        outage,
        broken,
        cordoned,
        newsLost,
        poisoned,
        probability,
        helpless,
        twin,
        replayed,
        journalLost,
        formerAgents);
  }

  /** The same, and what hosts have said is in the log again. */
  Faults withReplays(double probability, double ofFormerAgents) {
    return new Faults(
        crashDispatcher,
        crashAgent,
        replyLost,
        refused,
        repeated,
        slow,
        rewound,
        pauseDispatcher,
        pauseAgent,
        cutOff,
        reboot,
        outage,
        broken,
        cordoned,
        newsLost,
        poisoned,
        diskFull,
        helpless,
        twin,
        probability,
        journalLost,
        ofFormerAgents);
  }

  static Faults drawn(Chance chance) {
    return new Faults(
        maybe(chance, 0.004),
        maybe(chance, 0.004),
        maybe(chance, 0.02),
        maybe(chance, 0.02),
        maybe(chance, 0.1),
        maybe(chance, 0.02),
        maybe(chance, 0.5),
        maybe(chance, 0.04),
        maybe(chance, 0.05),
        maybe(chance, 0.04),
        maybe(chance, 0.02),
        maybe(chance, 0.01),
        maybe(chance, 0.05),
        maybe(chance, 0.03),
        maybe(chance, 1),
        maybe(chance, 0.05),
        maybe(chance, 0.03),
        maybe(chance, 0.03),
        maybe(chance, 0.04),
        maybe(chance, 0.5),
        maybe(chance, 0.02),
        maybe(chance, 1));
  }

  static Faults none() {
    return new Faults(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
  }

  private static double maybe(Chance chance, double most) {
    return chance.is(0.4) ? 0 : most * chance.between(1, 10) / 10;
  }
}
