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
    Turn turn = new Turn(state, rules, now);
    LeaseRules lease = new LeaseRules(turn);
    RunRules runs = new RunRules(turn);
    PoolRules pools = new PoolRules(turn);
    if (input instanceof Input.Restarted) {
      state.desk.offers(state.books.inventory(), now.bootMs());
      runs.restarted();
    }
    lease.lapse();
    switch (input) {
      case Input.Restarted restarted -> {}
      case Input.PlacementsFrom from -> turn.journal(new JournalEntry.Offset(from.next()));
      case Input.Received in -> new PlacementRules(turn).received(in);
      case Input.Unreadable in -> new PlacementRules(turn).unreadable(in.raw(), in.reason());
      case Input.Started in when turn.isWorker(in.key()) -> pools.started(in.key(), in.process());
      case Input.NotStarted in when turn.isWorker(in.key()) ->
          pools.notStarted(in.key(), in.cause(), in.reason());
      case Input.Exited in when turn.isWorker(in.key()) -> pools.exited(in.key(), in.end());
      case Input.WorkerReady in -> pools.ready(in.key(), in.ahead());
      case Input.WorkerAnswered in -> pools.answered(in.key(), in.n(), in.answer());
      case Input.Delivered in -> pools.delivered(in.keys());
      case Input.Started in -> runs.started(in.key(), in.process());
      case Input.NotStarted in -> runs.notStarted(in.key(), in.cause(), in.reason());
      case Input.Progress in -> new LineRules(turn).progress(in.key(), in.progress(), in.until());
      case Input.Result in -> new LineRules(turn).result(in.key(), in.result(), in.until());
      case Input.ResultsTaken in ->
          in.events().forEach(event -> state.told.taken(event.key(), event.seq()));
      case Input.Retold in -> new LineRules(turn).retold(in.key());
      case Input.Exited in -> runs.exited(in.key(), in.end());
      case Input.Observed in -> runs.observed(in.readings());
      case Input.Sampled in -> {
        state.usage.sample(in, state.live.values(), state.books.inventory(), now.bootMs());
        state.resident = resident(in);
        new OutgrowRules(turn).sampled(in);
        new IdleRules(turn).sampled(in);
      }
      case Input.DiskSampled in -> new DiskRules(turn).sampled(in);
      case Input.PartJudged in -> new FitnessRules(turn).judged(in.part(), in.trouble());
      case Input.StageSaid in -> new StageRules(turn).said(in.key(), in.said());
      case Input.RunnerSlots in -> state.service = state.service.changed(in.type(), in.slots());
      case Input.HostSampled in -> state.load = Optional.of(in.load());
      case Input.Judged in -> new DeviceRules(turn).judged(in.bad());
      case Input.DevicesFound in -> new DeviceRules(turn).found(in.inventory());
      case Input.ListUsed in -> new DeviceRules(turn).used(in.list(), in.inventory());
      case Input.ListRefused in -> new DeviceRules(turn).refused(in.list(), in.reason());
      case Input.LeftoverEnded in -> runs.leftoverEnded(in.key());
      case Input.Cleaned in -> runs.cleaned(in.key());
      case Input.HeartbeatAcked in -> {
        lease.acknowledged(in.epoch(), in.sentBootMs());
        pools.tick();
      }
      case Input.Tick tick -> pools.tick();
      case Input.StopAsked in -> lease.stopAsked(in.endJobs());
    }
    new StageRules(turn).pass();
    new AheadRules(turn).pass();
    lease.due();
    return turn.effects();
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
