package io.stoker.agent.staged;

import java.util.Optional;

/** Decides what follows from what a staged process says or does. */
public record StageMachine(StageLimits limits) {
  /** What follows. */
  public sealed interface Next {}

  /** It is of no account: it speaks of an older command, or of none. */
  public record Nothing() implements Next {}

  /**
   * It goes on.
   *
   * @param note why, for people; may be empty
   */
  public record Goes(Stages stages, String note) implements Next {}

  /** Its process is to end, and another one follows. */
  public record Renews(Stages stages, String note) implements Next {}

  /** The attempt has failed. */
  public record Fails(String reason) implements Next {}

  /** Its process says something. */
  public Next said(Stages stages, Said said) {
    if (said.version() != Said.VERSION) {
      return new Fails(
          "its process speaks version %d of the stage protocol; this agent speaks version %d"
              .formatted(said.version(), Said.VERSION));
    }
    boolean busy = stages.stage() == Stage.LOADING || stages.stage() == Stage.TRAINING;
    if (!busy || said.command() != stages.command()) {
      return new Nothing();
    }
    String message = said.message().orElse("");
    return switch (said.what()) {
      case DONE ->
          new Goes(
              stages.in(stages.stage() == Stage.LOADING ? Stage.HOLDING : Stage.TRAINED), message);
      case EXCEPTION -> new Fails("exception in %s: %s".formatted(stages.stage().word(), message));
      case OOM -> outOfMemory(stages, message);
    };
  }

  /**
   * It may train.
   *
   * @param on the device, which the process may not see; empty for a job on CPU slots
   */
  public Next mayTrain(Stages stages, Optional<String> on) {
    boolean unseen = !stages.sees().isEmpty() && on.filter(stages.sees()::contains).isEmpty();
    return unseen
        ? new Renews(
            stages.in(Stage.RENEWING),
            "its process began before device %s was listed here".formatted(on.orElseThrow()))
        : new Goes(stages.training(on), "");
  }

  /** Its process ended in its load for want of memory, without a word. */
  public Next endedInLoad(Stages stages, String how) {
    return outOfMemory(stages, how);
  }

  private Next outOfMemory(Stages stages, String message) {
    boolean loading = stages.stage() == Stage.LOADING;
    int used = loading ? stages.loads() : stages.trains();
    int most = loading ? limits.loads() : limits.trains();
    String note =
        "out of memory in %s %d of %d%s"
            .formatted(stages.stage().word(), used, most, message.isEmpty() ? "" : ": " + message);
    if (used >= most) {
      return new Fails((loading ? "LoadNumbersExceed: " : "TrainNumbersExceed: ") + note);
    }
    return loading
        ? new Renews(stages.in(Stage.RENEWING), note)
        : new Goes(stages.in(Stage.HOLDING), note);
  }

  /** Whether an end by itself, with exit code 0, is the success that it looks like. */
  public static boolean finished(Stages stages) {
    return stages.stage() == Stage.TRAINED;
  }
}
