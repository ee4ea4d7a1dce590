package io.stoker.agent.loop;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.agent.attempt.AgentState;
import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Effect;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.JournalEntry;
import io.stoker.agent.attempt.Now;
import io.stoker.agent.attempt.Part;
import io.stoker.agent.attempt.ReceivedRecord;
import io.stoker.agent.journal.FileJournal;
import io.stoker.agent.journal.JournalException;
import io.stoker.agent.metrics.EndedTotals;
import io.stoker.agent.report.Reporter;
import io.stoker.agent.runner.MeetingPorts;
import io.stoker.agent.runner.Runners;
import io.stoker.agent.spawn.DeadlineFile;
import io.stoker.agent.spawn.Reserve;
import io.stoker.common.message.AttemptEvent;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jboss.logging.Logger;

/** Carries out effects on the real journal, processes and topics. */
final class EffectActions implements Actions {
  private static final Logger LOG = Logger.getLogger("io.stoker.agent");

  /** Between two tries of a journal that cannot be written. */
  private static final long AGAIN_MS = 1_000;

  /** Where effects go. */
  record Parts(
      FileJournal journal,
      TerminalReports terminal,
      Reporter reporter,
      Runners runners,
      DeadlineFile deadline,
      HostAnnouncer announcer,
      BiConsumer<ReceivedRecord, String> deadLetters,
      DeviceCleaner cleaner,
      DeviceFinder finder,
      MeetingPorts meetings,
      EndedTotals totals,
      Reserve reserve) {}

  private final AgentState state;
  private final Parts parts;
  private final Consumer<Input> inputs;
  private final Runnable stopped;
  private final HeldEffects held = new HeldEffects();

  /** What workers are told of what is carried out together: each of them in one write. */
  private final Map<AttemptKey, List<JsonNode>> lines = new LinkedHashMap<>();

  private long again;
  private Optional<String> deadlineTrouble = Optional.empty();

  /**
   * @param stopped run when nothing is left to do after a stop
   */
  EffectActions(AgentState state, Parts parts, Consumer<Input> inputs, Runnable stopped) {
    this.state = state;
    this.parts = parts;
    this.inputs = inputs;
    this.stopped = stopped;
  }

  @Override
  public void perform(List<Effect> effects, Now now) {
    if (effects.isEmpty()) {
      return;
    }
    parts.reporter().inEpoch(state.lease().epoch(), state.lease().sealedEvents());
    if (!held.none()) {
      performAll(held.hold(effects), now);
      goOn(now);
    } else if (journaled(effects, now)) {
      performAll(effects, now);
      compact();
    } else {
      performAll(held.hold(effects), now);
    }
  }

  /** Tries the journal again, not more often than it may make sense. */
  private void goOn(Now now) {
    if (now.bootMs() >= again && journaled(held.all(), now)) {
      inputs.accept(new Input.PartJudged(Part.JOURNAL, Optional.empty()));
      performAll(held.take(), now);
    }
  }

  /** With what is set aside for this, should the disk be full. */
  private boolean journaled(List<Effect> effects, Now now) {
    try {
      try {
        journalAtOnce(effects);
      } catch (JournalException e) {
        parts.reserve().release();
        journalAtOnce(effects);
      }
      return true;
    } catch (JournalException e) {
      blocked(e, now);
      return false;
    }
  }

  private void blocked(JournalException why, Now now) {
    again = now.bootMs() + AGAIN_MS;
    inputs.accept(new Input.PartJudged(Part.JOURNAL, Optional.of(why.getMessage())));
  }

  /** What an entry among them keeps from being done is held with all that follows. */
  private void performAll(List<Effect> effects, Now now) {
    performEach(effects, now);
    lines.forEach((worker, told) -> parts.runners().processes().tellWorker(worker, told));
    lines.clear();
  }

  private void performEach(List<Effect> effects, Now now) {
    for (int i = 0; i < effects.size(); i++) {
      try {
        perform(effects.get(i), now);
      } catch (JournalException e) {
        blocked(e, now);
        List<Effect> rest = new ArrayList<>(effects.subList(i, effects.size()));
        rest.removeIf(HeldEffects::isEntry); // they are journaled
        performEach(held.hold(rest), now);
        return;
      }
    }
  }

  private void compact() {
    if (!held.none()) {
      return; // the state is ahead of the journal
    }
    try {
      parts.journal().compactIfLarge(state::snapshot);
    } catch (JournalException e) {
      LOG.warnf("%s: it grows on", e.getMessage());
    }
  }

  /**
   * Writes the journal anew, and forces it to the disk: what could not be forced before is.
   *
   * @return whether that could be done
   */
  boolean rewrite() {
    try {
      if (held.none()) {
        parts.journal().compact(state.snapshot());
      }
      return held.none();
    } catch (JournalException e) {
      return false;
    }
  }

  private void moveDeadline(long bootMs) {
    Optional<String> trouble = Optional.empty();
    try {
      try {
        parts.deadline().write(bootMs);
      } catch (IOException e) {
        parts.reserve().release();
        parts.deadline().write(bootMs);
      }
    } catch (IOException e) {
      trouble = Optional.of("the deadline of jobs cannot be moved: " + e.getMessage());
    }
    if (!trouble.equals(deadlineTrouble)) {
      deadlineTrouble = trouble;
      inputs.accept(new Input.PartJudged(Part.DEADLINE, trouble));
    }
  }

  /**
   * In one write, which costs as much as one for each entry would. A job that was journaled as
   * begun and never was is lost with the agent; one that is begun and not journaled would run
   * twice. But a message must not count as dealt with before it is.
   */
  private void journalAtOnce(List<Effect> effects) {
    List<JournalEntry> entries = new ArrayList<>();
    for (Effect effect : effects) {
      if (effect instanceof Effect.Journal journal
          && !(journal.entry() instanceof JournalEntry.Offset)) {
        entries.add(journal.entry());
      }
    }
    parts.journal().append(entries);
    for (JournalEntry entry : entries) {
      if (entry instanceof JournalEntry.Ended ended) {
        parts.totals().add(ended.report());
      }
    }
  }

  private void perform(Effect effect, Now now) {
    switch (effect) {
      case Effect.Journal journal -> {
        if (journal.entry() instanceof JournalEntry.Offset offset) {
          parts.journal().append(List.of(offset));
        }
      }
      case Effect.Launch launch -> {
        parts.meetings().vacate(new AttemptKey(launch.place().job(), launch.place().attempt()));
        parts.runners().start(launch.place(), launch.allocation(), launch.starts());
      }
      case Effect.Tell tell -> parts.runners().processes().tell(tell.key(), tell.command());
      case Effect.StartWorker start ->
          parts.runners().processes().startWorker(start.place(), start.allocation());
      case Effect.TellWorker tell ->
          lines.computeIfAbsent(tell.key(), worker -> new ArrayList<>()).add(tell.line());
      case Effect.AwaitDelivery await -> parts.terminal().delivered(await.key());
      case Effect.CloseLog close -> parts.runners().processes().closeLog(close.key());
      case Effect.Adopt adopt when adopt.place().pool() != null ->
          parts
              .runners()
              .processes()
              .lost(new AttemptKey(adopt.place().job(), adopt.place().attempt()));
      case Effect.Adopt adopt -> {
        toldBefore(new AttemptKey(adopt.place().job(), adopt.place().attempt()));
        parts.runners().adopt(adopt.place(), adopt.process(), adopt.starts());
      }
      case Effect.Retell retell -> {
        toldBefore(retell.key());
        parts.runners().processes().retell(retell.key(), retell.request());
      }
      case Effect.Kill kill -> parts.runners().kill(kill.key(), kill.graceMs());
      case Effect.Send send -> send(send);
      case Effect.DeadLetter letter -> parts.deadLetters().accept(letter.raw(), letter.reason());
      case Effect.SayHello hello -> parts.announcer().hello(hello, now, state);
      case Effect.SayHeartbeat beat -> parts.announcer().heartbeat(beat, now, state, inputs);
      case Effect.SayInventory inventory ->
          parts.announcer().inventory(inventory.epoch(), inventory.n(), now, state);
      case Effect.SayGoodbye goodbye -> parts.announcer().goodbye(goodbye.epoch());
      case Effect.MoveDeadline move -> moveDeadline(move.bootMs());
      case Effect.Clean clean -> clean(clean.key(), clean.devices());
      case Effect.FindDevices find -> parts.finder().find(find.list(), inputs);
      case Effect.RemoveRun remove -> parts.runners().remove(remove.key());
      case Effect.Note note -> LOG.info(note.sentence());
      case Effect.Stopped done -> stopped.run();
    }
  }

  private void toldBefore(AttemptKey key) {
    parts.runners().processes().toldBefore(key, state.toldBefore(key));
  }

  private void send(Effect.Send send) {
    if (send.event().type() == AttemptEvent.Type.ENDED) {
      parts.terminal().afterSync(send);
    } else if (send.mayWait()) {
      parts.reporter().sendLater(send.event(), send.token());
    } else {
      parts.reporter().send(send.event(), send.token());
    }
  }

  private void clean(AttemptKey key, List<String> devices) {
    parts.cleaner().clean(key, devices, () -> inputs.accept(new Input.Cleaned(key)));
  }
}
