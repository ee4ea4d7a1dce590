package io.stoker.agent.attempt;

import io.stoker.agent.attempt.JournalEntry.Accepted;
import io.stoker.agent.attempt.JournalEntry.Ended;
import io.stoker.agent.attempt.JournalEntry.Floor;
import io.stoker.agent.attempt.JournalEntry.Forgotten;
import io.stoker.agent.attempt.JournalEntry.Joined;
import io.stoker.agent.attempt.JournalEntry.Killing;
import io.stoker.agent.attempt.JournalEntry.Offset;
import io.stoker.agent.attempt.JournalEntry.PoolKept;
import io.stoker.agent.attempt.JournalEntry.PoolsSet;
import io.stoker.agent.attempt.JournalEntry.SeqReserved;
import io.stoker.agent.attempt.JournalEntry.Staged;
import io.stoker.agent.attempt.JournalEntry.Started;
import io.stoker.agent.attempt.JournalEntry.Told;
import io.stoker.agent.device.Allocation;
import io.stoker.agent.device.DeviceException;
import io.stoker.agent.staged.Stages;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.message.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;

/**
 * Applies journal entries to the state, and makes the entries of a state. All that must outlive an
 * agent changes here.
 */
record JournaledChanges(AgentState state) {
  /** What a journal must hold to replay to the state: what compaction keeps. */
  List<JournalEntry> snapshot() {
    List<JournalEntry> entries = new ArrayList<>();
    state.nextOffset.ifPresent(next -> entries.add(new Offset(next, state.signed ? true : null)));
    entries.addAll(state.floors.values());
    entries.addAll(state.poolBook.snapshot());
    state.reports.forEach(
        (key, kept) ->
            entries.add(
                new Ended(
                    kept.event(),
                    kept.token().orElse(null),
                    kept.notAfter(),
                    kept.request().orElse(null))));
    state.live.values().forEach(attempt -> snapshot(attempt, entries));
    entries.addAll(state.told.snapshot());
    return entries;
  }

  private static void snapshot(LiveAttempt attempt, List<JournalEntry> entries) {
    AttemptKey key = attempt.key();
    Allocation given = attempt.allocation();
    entries.add(
        Accepted.of(
            attempt.place(), given, attempt.acceptance().at(), attempt.acceptance().boot()));
    if (attempt.joined()) {
      String address = attempt.place().gang().address();
      entries.add(new Joined(key.job(), key.attempt(), address));
    }
    attempt.stages().ifPresent(stages -> entries.add(Staged.of(key, stages, given)));
    attempt
        .phase()
        .process()
        .ifPresent(process -> entries.add(new Started(key.job(), key.attempt(), process)));
    entries.add(new SeqReserved(key.job(), key.attempt(), attempt.said().reservedSeq()));
    if (attempt.phase() instanceof Phase.Ending ending) {
      entries.add(new Killing(key.job(), key.attempt(), ending.reason(), ending.message()));
    }
  }

  /** Makes one journaled change. */
  void make(JournalEntry entry) {
    switch (entry) {
      case Accepted accepted -> accept(accepted);
      case Started started -> {
        AttemptKey key = new AttemptKey(started.job(), started.attempt());
        change(key, attempt -> started(attempt, started.process()));
        // The process of a job on a pool is its worker's.
        if (state.live.containsKey(key) && !state.live.get(key).onPool()) {
          state.allocator.processStarted(key.toString());
          state.findRoots();
        }
      }
      case JournalEntry.Admitted admitted -> admit(admitted);
      case Staged staged -> stage(staged);
      case Joined joined ->
          change(
              new AttemptKey(joined.job(), joined.attempt()),
              attempt -> attempt.joined(joined.address()));
      case JournalEntry.TimeoutSet set -> setTimeout(set);
      case Killing killing ->
          change(
              new AttemptKey(killing.job(), killing.attempt()),
              attempt -> attempt.in(attempt.phase().kill(killing.reason(), killing.message())));
      case SeqReserved seq ->
          change(new AttemptKey(seq.job(), seq.attempt()), attempt -> attempt.reserved(seq.upTo()));
      case Ended ended -> end(ended);
      case Told line -> state.told.add(line);
      case Forgotten forgotten -> forget(new AttemptKey(forgotten.job(), forgotten.attempt()));
      case Floor floor -> raiseFloor(floor);
      case PoolKept kept -> state.poolBook.kept(kept);
      case PoolsSet set -> state.poolBook.set(set.set());
      case Offset offset -> {
        state.nextOffset = OptionalLong.of(offset.next());
        state.signed |= Boolean.TRUE.equals(offset.signed());
      }
    }
  }

  private void change(AttemptKey key, UnaryOperator<LiveAttempt> step) {
    state.live.computeIfPresent(key, (same, attempt) -> step.apply(attempt));
  }

  private void admit(JournalEntry.Admitted admitted) {
    AttemptKey key = new AttemptKey(admitted.job(), admitted.attempt());
    if (!state.lookAhead.remove(key)) {
      return;
    }
    LiveAttempt attempt = state.live.get(key);
    Allocation given =
        new Allocation(key.toString(), List.of(), false, OptionalLong.empty(), admitted.cpuSlots());
    state.ledger = state.ledger.release(key.toString());
    try {
      state.ledger = state.ledger.adopt(given);
    } catch (DeviceException e) {
      state.unmatched.add(key);
    }
    state.live.put(key, attempt.admitted(given));
  }

  /** Another process follows if it has had one: the next one is not known yet. */
  private void stage(Staged staged) {
    AttemptKey key = new AttemptKey(staged.job(), staged.attempt());
    LiveAttempt attempt = state.live.get(key);
    if (attempt == null) {
      return;
    }
    Stages stages = staged.stages();
    Allocation given =
        new Allocation(
            key.toString(),
            stages.device().map(List::of).orElse(List.of()),
            staged.exclusive(),
            staged.memory() == null ? OptionalLong.empty() : OptionalLong.of(staged.memory()),
            attempt.allocation().cpuSlots());
    if (state.ledger.allocations().stream()
        .anyMatch(held -> held.holder().equals(key.toString()))) {
      state.ledger = state.ledger.release(key.toString());
    }
    try {
      state.ledger = state.ledger.adopt(given);
    } catch (DeviceException e) {
      state.unmatched.add(key);
    }
    boolean another = stages.starts() > attempt.stages().map(Stages::starts).orElse(0);
    LiveAttempt next = attempt.at(stages, given);
    state.live.put(key, another ? next.in(next.phase().again()) : next);
    if (another) {
      state.findRoots();
    }
  }

  private void accept(Accepted accepted) {
    Place place = accepted.place();
    AttemptKey key = AttemptKey.of(place);
    Allocation allocation =
        new Allocation(
            key.toString(),
            accepted.devices(),
            accepted.exclusive(),
            accepted.memory() == null
                ? place.workload().share().gpus().memory()
                : OptionalLong.of(accepted.memory()),
            accepted.cpuSlots());
    LiveAttempt attempt =
        LiveAttempt.accepted(
            place,
            allocation,
            Events.accepted(place, accepted.devices(), accepted.at()),
            Optional.ofNullable(accepted.boot()));
    if (attempt.onPool()) {
      state.onPools++;
    } else {
      try {
        state.ledger = state.ledger.adopt(allocation);
      } catch (DeviceException e) {
        state.unmatched.add(key);
      }
    }
    state.keys.put(key.job(), key);
    if (place.timeoutMs() != null) {
      state.timed.add(key);
    }
    state.live.put(key, attempt);
    if (attempt.heldBehindSlots()) {
      state.lookAhead.add(key);
    }
    raiseFloor(new Floor(place.job(), place.attempt(), place.notAfter()));
  }

  private void setTimeout(JournalEntry.TimeoutSet set) {
    AttemptKey key = new AttemptKey(set.job(), set.attempt());
    change(key, attempt -> attempt.within(set.timeoutMs()));
    if (set.timeoutMs() == null) {
      state.timed.remove(key);
    } else if (state.live.containsKey(key)) {
      state.timed.add(key);
    }
  }

  private static LiveAttempt started(LiveAttempt attempt, RunProcess process) {
    AttemptEvent event = Events.running(attempt, process);
    return attempt.in(attempt.phase().started(process)).says(event);
  }

  private void end(Ended ended) {
    AttemptKey key = new AttemptKey(ended.report().job(), ended.report().attempt());
    LiveAttempt before = state.live.remove(key);
    state.lookAhead.remove(key);
    state.keys.remove(key.job(), key);
    state.timed.remove(key);
    if (before != null && before.workload() instanceof Workload.PoolTask task) {
      state.onPools--;
      state.poolBook.ended(task.pool(), ended.report().outcome());
      keep(key, ended, false);
      return;
    }
    state.findRoots();
    if (!state.told.owes(key)) {
      state.told.drop(key);
    }
    state.unmatched.remove(key);
    state.adopted.remove(key);
    state.heldBy.remove(key);
    state.admitted.remove(key);
    state.allocator.processEnded(key.toString());
    if (state.ledger.allocations().stream()
        .anyMatch(held -> held.holder().equals(key.toString()))) {
      state.ledger = state.ledger.release(key.toString());
    }
    keep(key, ended, true);
  }

  private void keep(AttemptKey key, Ended ended, boolean leaves) {
    Optional<String> token = Optional.ofNullable(ended.token());
    state.reports.put(
        key,
        new KeptReport(
            ended.report(), token, ended.notAfter(), Optional.ofNullable(ended.request()), leaves));
    raiseFloor(new Floor(key.job(), key.attempt(), ended.notAfter()));
  }

  private void forget(AttemptKey key) {
    state.reports.remove(key);
    state.told.drop(key);
    state.retelling.remove(key);
  }

  private void raiseFloor(Floor floor) {
    state.floors.merge(
        floor.job(),
        floor,
        (old, fresh) ->
            new Floor(
                old.job(),
                Math.max(old.attempt(), fresh.attempt()),
                Math.max(old.until(), fresh.until())));
  }
}
