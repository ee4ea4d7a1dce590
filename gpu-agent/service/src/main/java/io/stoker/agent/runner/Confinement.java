package io.stoker.agent.runner;

import java.util.Optional;

/**
 * The confinement of jobs' processes.
 *
 * @param users as whom they run
 * @param isolation what they are kept from besides
 */
public record Confinement(RunUsers users, Isolation isolation) {
  /** As the agent, and kept from nothing. */
  public static final Confinement NONE = new Confinement(RunUsers.SELF, Isolation.NONE);

  /** What is in force for a job, for people; empty where that is no more than for every job. */
  Optional<String> words(RunAs user, boolean offline) {
    String kept = isolation.words(offline);
    return user.account().isEmpty() && kept.isEmpty()
        ? Optional.empty()
        : Optional.of(user.words() + (kept.isEmpty() ? "" : ", " + kept));
  }

  /** What is in force, for people. */
  public String words() {
    String kept = isolation.words(false);
    return users.words() + (kept.isEmpty() ? "" : "; all with " + kept);
  }
}
