package io.stoker.dispatcher.coordinator.placement;

import io.smallrye.mutiny.Uni;
import io.stoker.common.state.Code;
import io.stoker.dispatcher.attempt.Unsendable;
import io.stoker.dispatcher.coordinator.end.Ends;
import io.stoker.dispatcher.coordinator.placement.PlacementMessages.Current;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.placement.LeftOut;
import io.stoker.dispatcher.placement.Sendable;
import io.stoker.dispatcher.store.Placements.Placed;
import java.util.List;
import java.util.Optional;

/** Tells which placements cannot be sent, and ends their jobs. */
public final class UnsendablePlacements {
  private static final System.Logger LOG = System.getLogger(UnsendablePlacements.class.getName());

  private final Ends ends;
  private final Sendable sendable;
  private final LeftOut leftOut;

  public UnsendablePlacements(Ends ends, Sendable sendable, LeftOut leftOut) {
    this.ends = ends;
    this.sendable = sendable;
    this.leftOut = leftOut;
  }

  /** Why one can never be sent. */
  record Flaw(Code code, String reason) {}

  Optional<Flaw> flaw(Current current, Placed placed) {
    Optional<String> gone = current.known().gone(placed.attempt());
    if (gone.isPresent()) {
      return Optional.of(
          new Flaw(
              Code.DEPENDENCY_FAILED,
              "the result of its dependency %s is not kept any more".formatted(gone.get())));
    }
    String host = placed.attempt().host();
    HostRow row = current.hosts().get(host);
    return sendable
        .obstacle(
            placed.message(),
            current.known().bytes(placed.attempt()),
            host,
            row == null ? null : row.resources())
        .map(reason -> new Flaw(Code.TOO_LARGE, reason));
  }

  /** Passes leave the job out for a while: its placement cannot be read or sent. */
  void leaveOut(String job) {
    leftOut.failed(job);
  }

  /** Ends the attempt's job; does nothing where it was told to end before. */
  Uni<Void> end(AttemptRow attempt, Flaw flaw) {
    if (attempt.cancelReason() != null) {
      return Uni.createFrom().voidItem();
    }
    LOG.log(
        System.Logger.Level.WARNING,
        () -> "job %s is ended: %s".formatted(attempt.job(), flaw.reason()));
    return ends.commit(
        "end unsendable",
        tx -> tx.loadJobs(List.of(attempt.job()), true),
        unit -> Unsendable.end(unit, attempt.key(), flaw.code(), flaw.reason()));
  }
}
