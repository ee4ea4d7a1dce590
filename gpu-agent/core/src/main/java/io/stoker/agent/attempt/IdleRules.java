package io.stoker.agent.attempt;

import io.stoker.agent.attempt.Input.DeviceSample;
import io.stoker.common.message.AttemptEvent.Warning;
import io.stoker.common.size.Durations;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * Decides what follows when the GPUs of an attempt do next to nothing for long. All of them must be
 * known to be below the limit: one that does not tell how busy it is, as a MIG device, begins the
 * time anew, and so does one that was busy in a single sample. Of a GPU that is shared, others'
 * work counts.
 *
 * <p>Soft state: a restarted agent begins to count anew.
 */
final class IdleRules {
  private final DecisionContext context;
  private final AgentState state;

  IdleRules(DecisionContext context) {
    this.context = context;
    this.state = context.state;
  }

  void sampled(Input.Sampled sampled) {
    if (context.rules.idle().action() == Idle.Action.OFF) {
      return;
    }
    state.idle.keySet().retainAll(state.live.keySet());
    for (LiveAttempt attempt : List.copyOf(state.live.values())) {
      if (attempt.phase() instanceof Phase.Running) {
        if (idles(attempt, sampled.devices())) {
          idled(attempt);
        } else {
          worked(attempt);
        }
      }
    }
  }

  private boolean idles(LiveAttempt attempt, Map<String, DeviceSample> devices) {
    List<String> given = attempt.allocation().devices();
    return !given.isEmpty()
        && given.stream()
            .map(devices::get)
            .map(device -> device == null ? OptionalInt.empty() : device.gpuPercent())
            .allMatch(busy -> busy.isPresent() && busy.getAsInt() < context.rules.idle().below());
  }

  private void idled(LiveAttempt attempt) {
    AttemptKey key = attempt.key();
    IdleSince since =
        state.idle.computeIfAbsent(key, first -> new IdleSince(context.now.bootMs(), false));
    long idleMs = context.now.bootMs() - since.bootMs();
    if (since.told() || idleMs < context.rules.idle().windowMs()) {
      return;
    }
    state.idle.put(key, new IdleSince(since.bootMs(), true));
    String sentence = sentence(attempt, idleMs);
    context.warn(attempt, Warning.GPU_IDLE, sentence);
    if (context.rules.idle().action() == Idle.Action.END) {
      context.kill(state.live.get(key), KillReason.IDLE, sentence + ": ended to free them");
    }
  }

  private void worked(LiveAttempt attempt) {
    IdleSince since = state.idle.remove(attempt.key());
    if (since != null && since.told()) {
      context.warn(attempt, Warning.OVER, "its GPUs work again");
    }
  }

  private String sentence(LiveAttempt attempt, long idleMs) {
    List<String> given = attempt.allocation().devices();
    return "its %s %s been below %d %% for %s"
        .formatted(
            given.size() == 1 ? "GPU " + given.getFirst() : given.size() + " GPUs",
            given.size() == 1 ? "has" : "have",
            context.rules.idle().below(),
            Durations.text(Duration.ofMillis(idleMs)));
  }
}
