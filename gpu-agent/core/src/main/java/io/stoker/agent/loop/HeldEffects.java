package io.stoker.agent.loop;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Effect;
import io.stoker.agent.attempt.JournalEntry;
import io.stoker.agent.attempt.RunKey;
import io.stoker.common.message.AttemptEvent;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Holds effects in order while the journal cannot be written: nobody is told of a decision, and
 * nothing begins by it, before it is journaled. Should the agent die before, it was never decided.
 *
 * <p>What needs no journal goes ahead: the lease is renewed, and what is to end is ended, which may
 * be what makes room.
 */
public final class HeldEffects {
  /** From here on steps that their ends make needless are left out. */
  private static final int MANY = 10_000;

  private final List<Effect> held = new ArrayList<>();

  /** Whether nothing is held: the journal can be written. */
  public boolean none() {
    return held.isEmpty();
  }

  /** Holds what must be held. Returns what goes ahead. */
  public List<Effect> hold(List<Effect> effects) {
    List<Effect> ahead = new ArrayList<>();
    for (Effect effect : effects) {
      if (goesAhead(effect)) {
        ahead.add(effect);
      } else if (held.size() < MANY || !needless(effect)) {
        held.add(effect);
      }
    }
    return ahead;
  }

  private boolean goesAhead(Effect effect) {
    return switch (effect) {
      case Effect.SayHello hello -> true;
      case Effect.SayHeartbeat beat -> true;
      case Effect.SayInventory inventory -> true;
      case Effect.SayGoodbye goodbye -> true;
      case Effect.MoveDeadline move -> true;
      case Effect.DeadLetter letter -> true;
      case Effect.Note note -> true;
      case Effect.Stopped stopped -> true;
      case Effect.Adopt adopt -> true;
      case Effect.Kill kill -> !isToBegin(kill.key());
      case Effect.RemoveRun remove -> !isToBegin(remove.key());
      default -> false;
    };
  }

  private boolean isToBegin(RunKey key) {
    return held.stream().anyMatch(effect -> launched(effect).filter(key::equals).isPresent());
  }

  private static Optional<RunKey> launched(Effect effect) {
    return switch (effect) {
      case Effect.Launch launch -> Optional.of(AttemptKey.of(launch.place()));
      case Effect.StartWorker start -> Optional.of(start.key());
      default -> Optional.empty();
    };
  }

  private static boolean needless(Effect effect) {
    return effect instanceof Effect.Send send && send.event().type() != AttemptEvent.Type.ENDED;
  }

  /** All that is held. */
  public List<Effect> all() {
    return List.copyOf(held);
  }

  /**
   * What is no longer held.
   *
   * @param due in order
   * @param neverBegun what was to begin and to end since: nobody else can tell of its end, since
   *     nobody has heard of it
   */
  public record Taken(List<Effect> due, Set<RunKey> neverBegun) {}

  /** All of it is journaled. */
  public Taken take() {
    Set<RunKey> ended = new HashSet<>();
    Set<RunKey> begin = new HashSet<>();
    Set<RunKey> never = new LinkedHashSet<>();
    List<Effect> due = new ArrayList<>();
    for (Effect effect : held.reversed()) {
      Optional<RunKey> launched = launched(effect);
      if (effect instanceof Effect.Kill kill) {
        ended.add(kill.key());
      }
      if (launched.filter(ended::contains).isPresent()) {
        never.add(launched.get());
      } else if (!isEntry(effect)) {
        launched.ifPresent(begin::add);
        due.addFirst(effect);
      }
    }
    held.clear();
    never.removeAll(begin);
    due.removeIf(effect -> effect instanceof Effect.Kill kill && never.contains(kill.key()));
    return new Taken(due, never);
  }

  /** An entry that is journaled before all else of its decision. */
  public static boolean isEntry(Effect effect) {
    return effect instanceof Effect.Journal journal
        && !(journal.entry() instanceof JournalEntry.Offset);
  }
}
