package io.stoker.agent.attempt;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/**
 * Decides what an agent does. It does nothing itself: no I/O, no clock, no random.
 *
 * <p>The state given is taken forward in place. Effects are in order: an entry is journaled before
 * what depends on it is done, so a crash between any two effects loses nothing that anybody was
 * told of.
 */
public class AgentDecider {
  private static final long NEVER = Long.MAX_VALUE;

  private final AgentRules rules;

  public AgentDecider(AgentRules rules) {
    this.rules = rules;
  }

  /** Takes the state through one input. */
  public List<Effect> decide(AgentState state, Input input, Now now) {
    DecisionContext context = new DecisionContext(state, rules, now);
    LeaseRules lease = new LeaseRules(context);
    RunRules runs = new RunRules(context);
    PoolRules pools = new PoolRules(context);
    if (input instanceof Input.Restarted) {
      state.allocator.offers(state.ledger.inventory(), now.bootMs());
      runs.restarted();
    }
    lease.lapse();
    switch (input) {
      case Input.Restarted restarted -> {}
      case Input.PlacementsFrom from -> context.journal(new JournalEntry.Offset(from.next()));
      case Input.Received in -> new PlacementRules(context).received(in);
      case Input.Unreadable in -> new PlacementRules(context).unreadable(in.raw(), in.reason());
      case Input.Started in -> {
        switch (in.key()) {
          case AttemptKey attempt -> runs.started(attempt, in.process());
          case WorkerKey worker -> pools.started(worker, in.process());
        }
      }
      case Input.NotStarted in -> {
        switch (in.key()) {
          case AttemptKey attempt -> runs.notStarted(attempt, in.cause(), in.reason());
          case WorkerKey worker -> pools.notStarted(worker, in.cause(), in.reason());
        }
      }
      case Input.Exited in -> {
        switch (in.key()) {
          case AttemptKey attempt -> runs.exited(attempt, in.end());
          case WorkerKey worker -> pools.exited(worker, in.end());
        }
      }
      case Input.WorkerReady in -> pools.ready(in.key(), in.ahead());
      case Input.WorkerAnswered in -> pools.answered(in.key(), in.n(), in.answer());
      case Input.Delivered in -> pools.delivered(in.keys());
      case Input.Progress in ->
          new LineRules(context).progress(in.key(), in.progress(), in.until());
      case Input.Result in -> new LineRules(context).result(in.key(), in.result(), in.until());
      case Input.ResultsTaken in ->
          in.events().forEach(event -> state.told.taken(event.key(), event.seq()));
      case Input.Retold in -> new LineRules(context).retold(in.key());
      case Input.Observed in -> runs.observed(in.readings());
      case Input.Sampled in -> {
        state.usage.sample(in, state.live.values(), state.ledger.inventory(), now.bootMs());
        state.resident = resident(in);
        new OutgrowRules(context).sampled(in);
        new IdleRules(context).sampled(in);
      }
      case Input.DiskSampled in -> new DiskRules(context).sampled(in);
      case Input.PartJudged in -> new FitnessRules(context).judged(in.part(), in.trouble());
      case Input.StageSaid in -> new StageRules(context).said(in.key(), in.said());
      case Input.HostSampled in -> state.load = Optional.of(in.load());
      case Input.Judged in -> new DeviceRules(context).judged(in.bad());
      case Input.DevicesFound in -> new DeviceRules(context).found(in.inventory());
      case Input.ListUsed in -> new DeviceRules(context).used(in.list(), in.inventory());
      case Input.ListRefused in -> new DeviceRules(context).refused(in.list(), in.reason());
      case Input.LeftoverEnded in -> runs.leftoverEnded(in.key());
      case Input.Cleaned in -> runs.cleaned(in.key());
      case Input.HeartbeatAcked in -> {
        lease.acknowledged(in.epoch(), in.sentBootMs());
        pools.tick();
      }
      case Input.Tick tick -> pools.tick();
      case Input.StopAsked in -> lease.stopAsked(in.endJobs());
    }
    new StageRules(context).pass();
    new AheadRules(context).pass();
    lease.due();
    return context.effects();
  }

  private static Map<String, Long> resident(Input.Sampled sampled) {
    return sampled.runs().entrySet().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, run -> run.getValue().memory()));
  }

  /** When a {@link Input.Tick} is due next, CLOCK_BOOTTIME in ms; empty if nothing is. */
  public OptionalLong nextTick(AgentState state) {
    long due = state.pools.nextTick().orElse(NEVER);
    for (LiveAttempt attempt : state.timed()) {
      if (attempt.phase() instanceof Phase.Running running) {
        due = Math.min(due, running.running().startedBootMs() + attempt.place().timeoutMs());
      }
    }
    if (state.nextOffset.isPresent() && !state.stopped) {
      due = Math.min(due, state.lease.nextDue());
    }
    if (state.lease.epoch().isEmpty() && anyRuns(state)) {
      due = Math.min(due, state.lease.deadline());
    }
    return due < NEVER ? OptionalLong.of(due) : OptionalLong.empty();
  }

  private static boolean anyRuns(AgentState state) {
    for (LiveAttempt attempt : state.live.values()) {
      if (!(attempt.phase() instanceof Phase.Ending)) {
        return true;
      }
    }
    return false;
  }
}
