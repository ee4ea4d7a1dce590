package io.stoker.agent.attempt;

import io.stoker.agent.attempt.Input.DeviceSample;
import io.stoker.agent.attempt.Input.RunSample;
import io.stoker.agent.device.Allocation;
import io.stoker.common.message.AttemptEvent.Warning;
import io.stoker.common.size.ByteSize;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Decides what follows when an attempt takes more than it was promised: of a GPU that it shares, or
 * of the host's memory. Whoever has a GPU alone may take all of it.
 */
final class OutgrowRules {
  private final DecisionContext context;
  private final AgentState state;

  OutgrowRules(DecisionContext context) {
    this.context = context;
    this.state = context.state;
  }

  private record Outgrown(KillReason reason, String sentence) {}

  void sampled(Input.Sampled sampled) {
    state.outgrown.retainAll(state.live.keySet());
    for (LiveAttempt attempt : List.copyOf(state.live.values())) {
      if (attempt.phase() instanceof Phase.Running && !state.outgrown.contains(attempt.key())) {
        onGpu(attempt, sampled.devices())
            .or(() -> onHost(attempt, sampled.runs()))
            .ifPresent(found -> outgrown(attempt, found));
      }
    }
  }

  /** Told once an attempt: it may stay above its promise for long. */
  private void outgrown(LiveAttempt attempt, Outgrown found) {
    AttemptKey key = attempt.key();
    state.outgrown.add(key);
    context.warn(attempt, Warning.MEMORY, found.sentence());
    if (context.rules.outgrow().action() == Outgrow.Action.END) {
      String ended = found.sentence() + ": ended before others run out";
      context.kill(state.live.get(key), found.reason(), ended);
    }
  }

  private Optional<Outgrown> onGpu(LiveAttempt attempt, Map<String, DeviceSample> devices) {
    Allocation given = attempt.allocation();
    if (given.exclusive() || given.memory().isEmpty()) {
      return Optional.empty();
    }
    long promised = given.memory().getAsLong();
    for (String id : given.devices()) {
      DeviceSample device = devices.get(id);
      Long taken = device == null ? null : device.usedByHolder().get(attempt.key().toString());
      if (taken != null && context.rules.outgrow().exceeds(taken, promised)) {
        return Optional.of(
            new Outgrown(KillReason.GPU_MEMORY, sentence(taken, promised, "of GPU " + id)));
      }
    }
    return Optional.empty();
  }

  private Optional<Outgrown> onHost(LiveAttempt attempt, Map<String, RunSample> runs) {
    OptionalLong promised = attempt.place().program().memory();
    RunSample run = runs.get(attempt.key().toString());
    return promised.isEmpty()
            || run == null
            || !context.rules.outgrow().exceeds(run.memory(), promised.getAsLong())
        ? Optional.empty()
        : Optional.of(
            new Outgrown(
                KillReason.HOST_MEMORY,
                sentence(run.memory(), promised.getAsLong(), "of host memory")));
  }

  private static String sentence(long taken, long promised, String of) {
    return "takes %s %s, and was promised %s"
        .formatted(ByteSize.text(taken), of, ByteSize.text(promised));
  }
}
