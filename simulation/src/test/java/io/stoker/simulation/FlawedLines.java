package io.stoker.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.WorkerKey;
import io.stoker.agent.pool.Answer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** What an agent and its workers tell each other, with one of its promises broken. */
final class FlawedLines {
  private final World world;
  private final Consumer<Input> inputs;

  /** By worker, what it was told and has not answered. */
  private final Map<WorkerKey, SequencedSet<Long>> told = new HashMap<>();

  FlawedLines(World world, Consumer<Input> inputs) {
    this.world = world;
    this.inputs = inputs;
  }

  /** The agent tells a worker. */
  void tell(WorkerKey key, List<JsonNode> lines, BiConsumer<WorkerKey, List<JsonNode>> worker) {
    List<JsonNode> written = new ArrayList<>();
    for (JsonNode line : lines) {
      long n = line.path("n").asLong();
      String what = line.path("do").asText();
      if (what.equals("job")) {
        told.computeIfAbsent(key, first -> new LinkedHashSet<>()).add(n);
      }
      if (what.equals("withdraw") && world.has(Defect.WITHDRAW_BY_WORD)) {
        inputs.accept(new Input.WorkerAnswered(key, n, new Answer.Withdrawn()));
      } else {
        written.add(line);
      }
    }
    if (!written.isEmpty()) {
      worker.accept(key, written);
    }
  }

  /** A worker has said something, or is gone. */
  void hear(Input word) {
    if (word instanceof Input.WorkerAnswered said) {
      answered(said);
    } else {
      if (word instanceof Input.Exited(WorkerKey key, var how)
          && world.has(Defect.BLAME_ALL_TOLD)) {
        unanswered(key)
            .forEach(
                n ->
                    inputs.accept(
                        new Input.WorkerAnswered(key, n, new Answer.Failed("its worker ended"))));
      }
      inputs.accept(word);
    }
  }

  private void answered(Input.WorkerAnswered said) {
    boolean goesOn =
        said.answer() instanceof Answer.Begun || said.answer() instanceof Answer.Progress;
    SequencedSet<Long> open = unanswered(said.key());
    boolean other = !goesOn && !open.isEmpty() && world.has(Defect.TAKE_ANY_ANSWER);
    long n = other ? open.getFirst() : said.n();
    if (!goesOn) {
      open.remove(n);
    }
    inputs.accept(new Input.WorkerAnswered(said.key(), n, said.answer()));
  }

  private SequencedSet<Long> unanswered(WorkerKey key) {
    return told.getOrDefault(key, new LinkedHashSet<>());
  }
}
