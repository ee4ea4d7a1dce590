package io.stoker.agent.loop;

import io.stoker.agent.attempt.AgentState;
import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Effect;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.JournalEntry;
import io.stoker.agent.attempt.Now;
import io.stoker.agent.attempt.ReceivedRecord;
import io.stoker.agent.journal.FileJournal;
import io.stoker.agent.metrics.EndedTotals;
import io.stoker.agent.report.Reporter;
import io.stoker.agent.runner.MeetingPorts;
import io.stoker.agent.runner.Runners;
import io.stoker.agent.supervise.DeadlineFile;
import io.stoker.common.message.AttemptEvent;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jboss.logging.Logger;

/** Carries out effects on the real journal, processes and topics. */
final class EffectActions implements Actions {
  private static final Logger LOG = Logger.getLogger("io.stoker.agent");

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
      EndedTotals totals) {}

  private final AgentState state;
  private final Parts parts;
  private final Consumer<Input> inputs;
  private final Runnable stopped;

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
  public void perform(List<Effect> effects, Now now) throws IOException {
    if (effects.isEmpty()) {
      return;
    }
    journalAtOnce(effects);
    parts.reporter().inEpoch(state.lease().epoch());
    for (Effect effect : effects) {
      perform(effect, now);
    }
    parts.journal().compactIfLarge(state::snapshot);
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
        if (journal.entry() instanceof JournalEntry.Ended ended) {
          parts.totals().add(ended.report());
        }
      }
    }
    parts.journal().append(entries);
  }

  private void perform(Effect effect, Now now) throws IOException {
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
          parts.runners().processes().tellWorker(tell.key(), tell.line());
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
      case Effect.SayHello hello -> parts.announcer().hello(hello.nonce(), now, state);
      case Effect.SayHeartbeat beat -> parts.announcer().heartbeat(beat, now, state, inputs);
      case Effect.SayInventory inventory ->
          parts.announcer().inventory(inventory.epoch(), inventory.n(), now, state);
      case Effect.SayGoodbye goodbye -> parts.announcer().goodbye(goodbye.epoch());
      case Effect.MoveDeadline move -> parts.deadline().write(move.bootMs());
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
      parts.terminal().afterSync(() -> parts.reporter().send(send.event(), send.token()));
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
