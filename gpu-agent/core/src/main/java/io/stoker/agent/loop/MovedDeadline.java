package io.stoker.agent.loop;

import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.Part;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Consumer;

/** Moves the deadline of jobs, and says when that begins to fail and when it works again. */
final class MovedDeadline {
  private final Ports.Host host;
  private final Consumer<Input> inputs;
  private Optional<String> trouble = Optional.empty();

  MovedDeadline(Ports.Host host, Consumer<Input> inputs) {
    this.host = host;
    this.inputs = inputs;
  }

  void move(long bootMs) {
    Optional<String> now = write(bootMs);
    if (!now.equals(trouble)) {
      trouble = now;
      inputs.accept(new Input.PartJudged(Part.DEADLINE, now));
    }
  }

  private Optional<String> write(long bootMs) {
    try {
      try {
        host.deadline().write(bootMs);
      } catch (IOException e) {
        host.spareRoom().run();
        host.deadline().write(bootMs);
      }
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of("the deadline of jobs cannot be moved: " + e.getMessage());
    }
  }
}
