package io.stoker.agent.attempt;

import io.stoker.common.message.HostMessage.SettingAnswer;
import java.util.Optional;

/** The last order of people for one setting of the host, and its result. */
final class Order {
  private Optional<String> newest = Optional.empty();
  private Optional<String> done = Optional.empty();
  private Optional<String> problem = Optional.empty();

  /**
   * Gives an order; the same may be given again.
   *
   * @param id null if nobody waits for the answer
   * @return whether it is another than the newest so far
   */
  boolean give(String id) {
    if (id == null || newest.equals(Optional.of(id))) {
      return false;
    }
    newest = Optional.of(id);
    return true;
  }

  /** The newest was dealt with. */
  void done(Optional<String> why) {
    done = newest;
    problem = why;
  }

  /** Why it could not be done, if so. */
  Optional<String> problem() {
    return problem;
  }

  /** The same where nobody waits for the answer; whoever waits is told, and nobody else need be. */
  Optional<String> problemForAll() {
    return newest.isEmpty() ? problem : Optional.empty();
  }

  /** The answer to the newest that was dealt with, if anybody waits for one. */
  Optional<SettingAnswer> answer(String setting) {
    return done.map(id -> new SettingAnswer(setting, id, problem.orElse(null)));
  }
}
