package io.stoker.agent.loop;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.agent.attempt.AgentState;
import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Effect;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.Now;
import io.stoker.agent.attempt.WorkerKey;
import io.stoker.agent.report.Reporter;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.Workload;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Carries effects out, each by the port that it is for. */
final class EffectActions implements EffectOrder.Doing {
  /** Who tells the dispatcher. */
  record Tellers(Reporter events, TerminalReports ends, HostAnnouncer host) {}

  private final AgentState state;
  private final Ports ports;
  private final Tellers tellers;
  private final MovedDeadline deadline;
  private final Consumer<Input> inputs;

  /** What workers are told of what is done together: each of them in one write. */
  private final Map<WorkerKey, List<JsonNode>> lines = new LinkedHashMap<>();

  EffectActions(AgentState state, Ports ports, Tellers tellers, Consumer<Input> inputs) {
    this.state = state;
    this.ports = ports;
    this.tellers = tellers;
    this.inputs = inputs;
    this.deadline = new MovedDeadline(ports.host(), inputs);
  }

  @Override
  public void perform(Effect effect, Now now) {
    Runs runs = ports.host().runs();
    switch (effect) {
      case Effect.Journal entry -> throw new IllegalArgumentException(entry + " is to be written");
      case Effect.Launch launch ->
          runs.launch(launch.place(), launch.allocation(), launch.starts());
      case Effect.Tell tell -> runs.tell(tell.key(), tell.command());
      case Effect.StartWorker start ->
          runs.startWorker(start.key(), start.process(), start.allocation());
      case Effect.TellWorker tell ->
          lines.computeIfAbsent(tell.key(), worker -> new ArrayList<>()).add(tell.line());
      case Effect.AwaitDelivery await -> tellers.ends().delivered(await.key());
      case Effect.CloseLog close -> runs.closeLog(close.key());
      case Effect.Adopt adopt -> adopt(runs, adopt);
      case Effect.Retell retell -> {
        runs.toldBefore(retell.key(), state.toldBefore(retell.key()));
        runs.retell(retell.key(), retell.request());
      }
      case Effect.Kill kill -> runs.kill(kill.key(), kill.graceMs());
      case Effect.Send send -> send(send);
      case Effect.DeadLetter letter ->
          ports.topics().deadLetters().accept(letter.raw(), letter.reason());
      case Effect.SayHello hello -> tellers.host().hello(hello, now, state);
      case Effect.SayHeartbeat beat -> tellers.host().heartbeat(beat, now, state, inputs);
      case Effect.SayInventory inventory ->
          tellers.host().inventory(inventory.epoch(), inventory.n(), now, state);
      case Effect.SayGoodbye goodbye -> tellers.host().goodbye(goodbye.epoch());
      case Effect.MoveDeadline move -> deadline.move(move.bootMs());
      case Effect.Clean clean ->
          ports
              .host()
              .devices()
              .cleaner()
              .clean(
                  clean.key(),
                  clean.devices(),
                  () -> inputs.accept(new Input.Cleaned(clean.key())));
      case Effect.FindDevices find -> ports.host().devices().finder().find(find.list(), inputs);
      case Effect.RemoveRun remove -> runs.remove(remove.key());
      case Effect.Note note -> ports.observer().notes().accept(note.sentence());
      case Effect.Stopped done -> ports.observer().stopped().run();
    }
  }

  @Override
  public void flush() {
    lines.forEach(ports.host().runs()::tellWorker);
    lines.clear();
  }

  private void adopt(Runs runs, Effect.Adopt adopt) {
    AttemptKey key = AttemptKey.of(adopt.place());
    if (adopt.place().workload() instanceof Workload.PoolTask) {
      runs.lost(key);
    } else {
      runs.toldBefore(key, state.toldBefore(key));
      runs.adopt(adopt.place(), adopt.process(), adopt.starts());
    }
  }

  private void send(Effect.Send send) {
    if (send.event().type() == AttemptEvent.Type.ENDED) {
      tellers.ends().afterSync(send);
    } else if (send.mayWait()) {
      tellers.events().sendLater(send.event(), send.token());
    } else {
      tellers.events().send(send.event(), send.token());
    }
  }
}
