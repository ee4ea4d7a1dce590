package io.stoker.agent.loop;

import io.stoker.agent.attempt.AgentState;
import io.stoker.agent.attempt.Effect;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.JournalEntry;
import io.stoker.agent.attempt.Now;
import io.stoker.agent.attempt.Part;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * In which order what was decided is done. All entries of a decision are journaled in one write,
 * before anything else of it happens: a job that was journaled as begun and never was is lost with
 * the agent, and one that is begun and not journaled would run twice. How far the placements topic
 * has been dealt with is journaled in its turn: a message must not count as dealt with before it
 * is. What cannot be journaled is {@linkplain HeldEffects held} until it can be.
 */
final class EffectOrder {
  private static final System.Logger LOG = System.getLogger(EffectOrder.class.getName());

  /** Between two tries of a journal that cannot be written. */
  private static final long AGAIN_MS = 1_000;

  /** Does one thing, which is no entry of the journal. */
  interface Doing {
    void perform(Effect effect, Now now);

    /** Nothing else is due now: what was kept back to be done together is done. */
    void flush();
  }

  /** What follows once all that is due is done. */
  private enum Then {
    NOTHING,
    TRY_AGAIN,
    COMPACT
  }

  private final JournalWriter journal;
  private final AgentState state;
  private final Doing doing;
  private final Consumer<Input> inputs;
  private final HeldEffects held = new HeldEffects();
  private final Deque<Effect> due = new ArrayDeque<>();
  private Then then = Then.NOTHING;
  private Now now;
  private long again;

  EffectOrder(JournalWriter journal, AgentState state, Doing doing, Consumer<Input> inputs) {
    this.journal = journal;
    this.state = state;
    this.doing = doing;
    this.inputs = inputs;
  }

  /** Begins what one decision asks for, once {@link #next} has done all of the one before. */
  void begin(List<Effect> effects, Now decided) {
    now = decided;
    if (effects.isEmpty()) {
      then = Then.NOTHING;
    } else if (!held.none()) {
      due.addAll(held.hold(effects));
      then = Then.TRY_AGAIN;
    } else if (journaled(effects)) {
      effects.stream().filter(effect -> !HeldEffects.isEntry(effect)).forEach(due::add);
      then = Then.COMPACT;
    } else {
      due.addAll(held.hold(effects));
      then = Then.NOTHING;
    }
  }

  /** Does the next thing that is due; false if nothing is left. */
  boolean next() {
    Effect effect = due.poll();
    if (effect == null) {
      doing.flush();
      finish();
      return !due.isEmpty();
    }
    try {
      if (effect instanceof Effect.Journal entry) {
        journal.write((JournalEntry.Offset) entry.entry());
      } else {
        doing.perform(effect, now);
      }
    } catch (JournalException e) {
      blocked(e);
      due.addFirst(effect);
      List<Effect> rest = List.copyOf(due);
      due.clear();
      due.addAll(held.hold(rest));
    }
    return true;
  }

  private void finish() {
    Then last = then;
    then = Then.NOTHING;
    if (last == Then.COMPACT) {
      compact();
    } else if (last == Then.TRY_AGAIN && now.bootMs() >= again && journaled(held.all())) {
      inputs.accept(new Input.PartJudged(Part.JOURNAL, Optional.empty()));
      HeldEffects.Taken taken = held.take();
      due.addAll(taken.due());
      taken.neverBegun().forEach(key -> inputs.accept(Input.NotStarted.unbegun(key)));
    }
  }

  private boolean journaled(List<Effect> effects) {
    List<JournalEntry> entries = new ArrayList<>();
    for (Effect effect : effects) {
      if (HeldEffects.isEntry(effect)) {
        entries.add(((Effect.Journal) effect).entry());
      }
    }
    try {
      journal.write(entries);
      return true;
    } catch (JournalException e) {
      blocked(e);
      return false;
    }
  }

  private void blocked(JournalException why) {
    again = now.bootMs() + AGAIN_MS;
    inputs.accept(new Input.PartJudged(Part.JOURNAL, Optional.of(why.getMessage())));
  }

  private void compact() {
    if (!held.none()) {
      return; // the state is ahead of the journal
    }
    try {
      journal.journal().compactIfLarge(state::snapshot);
    } catch (JournalException e) {
      LOG.log(Level.WARNING, e.getMessage() + ": it grows on");
    }
  }

  /**
   * Writes the journal anew, and forces it to the disk: what could not be forced before is. Not
   * while something is due. Returns whether that could be done.
   */
  boolean rewrite() {
    try {
      if (held.none()) {
        journal.journal().compact(state.snapshot());
      }
      return held.none();
    } catch (JournalException e) {
      return false;
    }
  }
}
