package io.stoker.agent.attempt;

import io.stoker.agent.attempt.Events.Ending;
import io.stoker.agent.attempt.JournalEntry.SeqReserved;
import io.stoker.agent.attempt.JournalEntry.Started;
import io.stoker.agent.device.DeviceReading;
import io.stoker.agent.staged.Stages;
import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.AttemptEvent.Warning;
import io.stoker.common.message.Workload;
import io.stoker.common.state.FailureCategory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/** Decides what follows from the reports of runs. */
final class RunRules {
  private static final int SIGNALLED = 128;
  private static final int SIGKILL = 9;
  private static final int SIGTERM = 15;

  /**
   * The death of a machine takes the last entries of a journal. So many numbers may have been
   * reserved in those, and used, at the rate at which runs may tell things, within the minutes that
   * it takes a kernel to write what nobody forces.
   */
  private static final int UNFORCED_NUMBERS = 20_000;

  private final DecisionContext context;
  private final AgentState state;

  RunRules(DecisionContext context) {
    this.context = context;
    this.state = context.state;
  }

  /** Looks for what the journal holds among the living, and says again what has ended. */
  void restarted() {
    List<LiveAttempt> lost = new ArrayList<>();
    for (LiveAttempt attempt : List.copyOf(state.live.values())) {
      // Numbers of its own for this start: what it says first may be said without a reservation.
      boolean booted = attempt.onAnotherBootThan(state.boot);
      int used = attempt.said().reservedSeq() + (booted ? UNFORCED_NUMBERS : 0);
      AttemptKey key = attempt.key();
      context.journal(new SeqReserved(key.job(), key.attempt(), used + LiveAttempt.SEQ_BLOCK));
      LiveAttempt known = renumbered(state.live.get(key).counted(used));
      boolean held =
          known.stages().map(stages -> stages.starts() == 0).orElse(known.awaitsGang())
              || known.heldBehindSlots()
              || (known.onPool() && known.phase() instanceof Phase.Waiting);
      if (booted && known.phase() instanceof Phase.Waiting && known.diesWithItsHost()) {
        state.live.put(key, known);
        lost.add(known);
        continue;
      }
      if (held) {
        state.live.put(key, known);
        continue;
      }
      if (known.phase() instanceof Phase.Waiting waiting) {
        known = known.in(waiting.launch());
      }
      state.live.put(known.key(), known);
      state.adopted.add(known.key());
      context.effect(
          new Effect.Adopt(
              known.place(),
              known.phase().process(),
              known.stages().map(Stages::starts).orElse(1)));
      if (known.phase() instanceof Phase.Ending ending) {
        context.effect(
            new Effect.Kill(
                known.key(), ending.reason().graceful() ? context.rules.times().grace() : 0));
      } else if (state.unmatched.contains(known.key()) || beginsOnNoDevice(known)) {
        context.kill(known, KillReason.UNMATCHED, "its devices are not there for it any more");
      } else if (known.stages().isPresent()) {
        new StageRules(context).restarted(state.live.get(key));
      }
    }
    new LineRules(context).restarted();
    // They may have begun: that may be among what was not forced to the disk.
    lost.forEach(one -> context.end(one, Ending.of(Outcome.LOST, "its machine was started again")));
  }

  /** What runs goes on where no device can be seen; what has not begun would only fail. */
  private boolean beginsOnNoDevice(LiveAttempt attempt) {
    return attempt.phase().process().isEmpty()
        && !attempt.allocation().devices().stream().allMatch(state.ledger::knows);
  }

  /**
   * What it answers with from now on. The journal does not tell which number its start had: what it
   * said before that had others.
   */
  private static LiveAttempt renumbered(LiveAttempt attempt) {
    return attempt
        .phase()
        .process()
        .map(process -> attempt.says(Events.running(attempt, process)))
        .orElse(attempt);
  }

  void started(AttemptKey key, RunProcess process) {
    LiveAttempt attempt = state.live.get(key);
    if (attempt == null || attempt.phase() instanceof Phase.Running) {
      return;
    }
    context.journal(new Started(key.job(), key.attempt(), process));
    LiveAttempt now = state.live.get(key);
    if (now.phase() instanceof Phase.Running) {
      context.send(now.last(), now);
    }
  }

  void notStarted(AttemptKey key, Input.Cause cause, String reason) {
    LiveAttempt attempt = state.live.get(key);
    if (attempt == null) {
      return;
    }
    if (attempt.phase() instanceof Phase.Ending ending) {
      if (attempt.workload() instanceof Workload.PoolTask task) {
        new PoolRules(context).lost(attempt, task);
      } else {
        context.end(attempt, killed(ending, RunEnd.unseen()));
      }
      return;
    }
    switch (cause) {
      case LAUNCH -> context.end(attempt, Ending.failed(FailureCategory.LAUNCH, reason, null));
      case REFUSED -> context.end(attempt, Ending.of(Outcome.RETURNED, reason));
      case UNCLAIMED -> {
        if (attempt.phase() instanceof Phase.Launching launching) {
          state.adopted.remove(key);
          state.live.put(key, attempt.in(launching.again()));
          context.start(state.live.get(key));
        }
      }
    }
  }

  void exited(AttemptKey key, RunEnd end) {
    LiveAttempt attempt = state.live.get(key);
    if (attempt == null) {
      return;
    }
    end.usage().ifPresent(usage -> state.usage.ended(key, usage));
    if (end.silent()) {
      state.usage.silent(key);
    }
    end.kept().ifPresent(what -> state.usage.kept(key, what));
    if (attempt.workload() instanceof Workload.PoolTask task) {
      new PoolRules(context).lost(attempt, task);
    } else if (attempt.phase() instanceof Phase.Ending ending) {
      context.end(attempt, killed(ending, end));
    } else if (attempt.stages().isPresent()) {
      new StageRules(context).exited(attempt, end, () -> ended(attempt, end));
    } else {
      context.end(attempt, ended(attempt, end));
    }
  }

  /** Of a device that has failed, its job often dies before anybody can end it. */
  private Ending ended(LiveAttempt attempt, RunEnd end) {
    Map<String, String> failed = state.ledger.quarantined();
    if (end.exitCode().orElse(0) != 0) {
      for (String id : attempt.allocation().devices()) {
        if (failed.containsKey(id)) {
          return Ending.failed(
              FailureCategory.DEVICE_FAULT,
              "device %s has failed: %s".formatted(id, failed.get(id)),
              end.exitCode().getAsInt());
        }
      }
    }
    return mayBeTheWatchdogs(attempt.key(), end)
        ? new Ending(
            Outcome.LOST, null, "the watchdog may have ended it", SIGNALLED + SIGKILL, null)
        : ended(end);
  }

  /**
   * Whether the watchdog may have killed it, and nobody remembers: what an earlier agent started
   * may have been killed before the deadline moved on, while the journal could not be written.
   */
  private boolean mayBeTheWatchdogs(AttemptKey key, RunEnd end) {
    return end.exitCode().equals(OptionalInt.of(SIGNALLED + SIGKILL))
        && (state.fitness.lacks(Part.DEADLINE)
            || (state.adopted.contains(key) && end.category().isEmpty()));
  }

  static Ending killed(Phase.Ending ending, RunEnd end) {
    Integer exit = end.exitCode().isPresent() ? end.exitCode().getAsInt() : null;
    return switch (ending.reason()) {
      case CANCEL -> new Ending(Outcome.CANCELLED, null, ending.message(), exit, null);
      case TIMEOUT -> Ending.failed(FailureCategory.TIMEOUT, ending.message(), exit);
      case STAGE -> Ending.failed(FailureCategory.APP, ending.message(), exit);
      case DEVICE -> Ending.failed(FailureCategory.DEVICE_FAULT, ending.message(), exit);
      case GPU_MEMORY -> Ending.failed(FailureCategory.GPU_OOM, ending.message(), exit);
      case HOST_MEMORY -> Ending.failed(FailureCategory.HOST_OOM, ending.message(), exit);
      case IDLE -> Ending.limit(Warning.GPU_IDLE, ending.message(), exit);
      case DISK -> Ending.limit(Warning.DISK, ending.message(), exit);
      case SUPERSEDED, UNMATCHED, STOP ->
          new Ending(Outcome.LOST, null, ending.message(), exit, null);
      // The watchdog kills too; what ended by itself before that tells its own end.
      case LEASE ->
          exit == null || exit == SIGNALLED + SIGKILL || exit == SIGNALLED + SIGTERM
              ? new Ending(Outcome.LOST, null, ending.message(), exit, null)
              : ended(end);
    };
  }

  private static Ending ended(RunEnd end) {
    if (end.exitCode().isEmpty()) {
      return Ending.of(Outcome.LOST, "it went away without leaving an exit code");
    }
    int code = end.exitCode().getAsInt();
    if (code != 0) {
      FailureCategory category = end.category().orElse(FailureCategory.APP);
      return Ending.failed(category, failure(code, end), code);
    }
    if (end.resultProblem().isPresent()) {
      return Ending.unkept(end.resultProblem().get(), code);
    }
    return new Ending(Outcome.SUCCEEDED, null, null, code, end.result().orElse(null));
  }

  private static String failure(int code, RunEnd end) {
    String how = code > SIGNALLED ? "killed by signal " + (code - SIGNALLED) : "exit code " + code;
    return end.note().map(note -> how + ": " + note).orElse(how);
  }

  void observed(Map<String, DeviceReading> readings) {
    readings.forEach(
        (device, reading) -> {
          // The list may have changed while it was measured.
          if (state.ledger.inventory().has(device)) {
            state.ledger = state.ledger.observe(device, reading);
          }
        });
  }

  /** Who asks for what is held learns it at once. */
  void leftoverEnded(AttemptKey key) {
    if (state.leftovers.remove(key)) {
      context.note("%s, which an earlier agent left elsewhere, has ended", key);
      context.effect(new Effect.RemoveRun(key));
      state.lease.inventoryChanged(context.now.bootMs());
    }
  }

  void cleaned(RunKey key) {
    if (state.cleaning.remove(key) != null) {
      state.ledger = state.ledger.release(key.toString());
      state.lease.inventoryChanged(context.now.bootMs());
    }
  }
}
