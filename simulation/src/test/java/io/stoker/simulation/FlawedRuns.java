package io.stoker.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.Input.Cause;
import io.stoker.agent.attempt.RunEnd;
import io.stoker.agent.attempt.RunKey;
import io.stoker.agent.attempt.RunProcess;
import io.stoker.agent.attempt.ToldBefore;
import io.stoker.agent.attempt.WorkerKey;
import io.stoker.agent.device.Allocation;
import io.stoker.agent.loop.Runs;
import io.stoker.agent.staged.Said;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.message.Workload;
import io.stoker.simulation.Machine.Run;
import io.stoker.simulation.Machine.Stage;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** What runs for an agent, with one of its promises broken. */
final class FlawedRuns implements Runs {
  private final World world;
  private final Machine machine;
  private final SimRunner runs;
  private final FlawedLines lines;
  private final Consumer<Input> inputs;

  FlawedRuns(
      World world, Machine machine, SimRunner runs, FlawedLines lines, Consumer<Input> inputs) {
    this.world = world;
    this.machine = machine;
    this.runs = runs;
    this.lines = lines;
    this.inputs = inputs;
  }

  @Override
  public void launch(Place place, Allocation allocation, int starts) {
    Allocation given =
        world.has(Defect.GIVE_FIRST_DEVICE) && !allocation.devices().isEmpty()
            ? new Allocation(
                allocation.holder(),
                List.of("0"),
                allocation.exclusive(),
                allocation.memory(),
                allocation.cpuSlots())
            : allocation;
    if (world.has(Defect.LAUNCH_BLINDLY)) {
      runs.start(new Run(place, given, starts));
    } else {
      runs.launch(place, given, starts);
    }
  }

  @Override
  public void adopt(Place place, Optional<RunProcess> known, int starts) {
    AttemptKey key = new AttemptKey(place.job(), place.attempt());
    if (world.has(Defect.LAUNCH_BLINDLY)) {
      inputs.accept(new Input.NotStarted(key, Cause.UNCLAIMED, "nobody looked"));
    } else if (world.has(Defect.ADOPT_ANY_PROCESS) && known.isPresent()) {
      inputs.accept(new Input.Started(key, known.get()));
    } else {
      runs.adopt(place, known, starts);
    }
  }

  @Override
  public void kill(RunKey key, long grace) {
    Run run = machine.runs.get(key);
    if (world.has(Defect.END_BY_WORD) && run != null && run.stage == Stage.ALIVE) {
      inputs.accept(new Input.Exited(key, RunEnd.exit(143)));
    } else if (world.has(Defect.REVOKE_BY_WORD) && run != null && run.stage == Stage.ASKED) {
      inputs.accept(Input.NotStarted.unbegun(key));
    } else if (world.has(Defect.END_WORKERS_BY_WORD) && key instanceof WorkerKey) {
      inputs.accept(new Input.Exited(key, RunEnd.exit(137)));
    } else {
      runs.kill(key, grace);
    }
  }

  @Override
  public void remove(RunKey key) {
    runs.remove(key);
  }

  @Override
  public void toldBefore(AttemptKey key, ToldBefore told) {
    runs.toldBefore(key, told);
  }

  @Override
  public void retell(AttemptKey key, String request) {
    runs.retell(key, request);
  }

  @Override
  public void tell(AttemptKey key, JsonNode command) {
    runs.tell(key, command);
    if (world.has(Defect.TAKE_LOADS_FOR_DONE) && command.path("do").asText().equals("load")) {
      int n = command.path("n").asInt();
      inputs.accept(
          new Input.StageSaid(key, new Said(Said.VERSION, n, Said.What.DONE, Optional.empty())));
    }
  }

  @Override
  public void closeLog(AttemptKey key) {
    runs.closeLog(key);
  }

  @Override
  public void startWorker(WorkerKey key, Workload.Process process, Allocation allocation) {
    runs.startWorker(key, process, allocation);
  }

  @Override
  public void tellWorker(WorkerKey key, List<JsonNode> told) {
    lines.tell(key, told, runs::tellWorker);
  }

  @Override
  public void lost(AttemptKey key) {
    runs.lost(key);
  }
}
