package io.stoker.agent.runner;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.RunEnd;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.state.FailureCategory;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ScheduledFuture;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Follows the output of runs that have no process here, as it grows in their folders: log,
 * progress, results, and what explains a failure. One thread for all of them, and no work while
 * there are none.
 */
public final class OutputFollower implements AutoCloseable {
  private static final long LOOK_MS = 200;

  private final Function<Place, RunOutput> outputs;
  private final Consumer<Input> inputs;
  private final RunThread thread = new RunThread("outputs");
  private final Map<AttemptKey, RunOutput> followed = new HashMap<>();
  private final byte[] buffer = new byte[64 * 1024];
  private Optional<ScheduledFuture<?>> looking = Optional.empty();

  OutputFollower(Function<Place, RunOutput> outputs, Consumer<Input> inputs) {
    this.outputs = outputs;
    this.inputs = inputs;
  }

  /** Begins with a run, at the beginning of its files. */
  public void follow(Place place) {
    thread.run(
        () -> {
          followed.put(AttemptKey.of(place), outputs.apply(place));
          if (looking.isEmpty()) {
            looking = Optional.of(thread.each(LOOK_MS, this::look));
          }
        });
  }

  /**
   * A run is over and nothing of it is left: reads the rest, and tells its end.
   *
   * @param exitCode empty if nobody saw it
   * @param category what the runner knows of its failure; what its output tells where this is empty
   * @param note a sentence that explains it; the last line of its errors where this is empty
   */
  public void end(
      AttemptKey key,
      OptionalInt exitCode,
      Optional<FailureCategory> category,
      Optional<String> note) {
    thread.run(
        () -> {
          RunOutput output = followed.remove(key);
          if (output == null) {
            return; // its end was told before
          }
          rest();
          output.rest(
              thread,
              buffer,
              () -> {
                RunEnd read = output.end(exitCode);
                try {
                  output.close();
                } finally {
                  inputs.accept(
                      new Input.Exited(
                          key,
                          new RunEnd(
                                  read.exitCode(),
                                  read.result(),
                                  read.resultProblem(),
                                  category.or(read::category),
                                  note.or(read::note))
                              .silent(read.silent())));
                }
              });
        });
  }

  /** Gives a run up of which nothing more is told here. */
  public void drop(AttemptKey key) {
    thread.run(
        () -> {
          Optional.ofNullable(followed.remove(key)).ifPresent(RunOutput::close);
          rest();
        });
  }

  private void look() {
    for (RunOutput output : List.copyOf(followed.values())) {
      output.look(buffer);
    }
  }

  private void rest() {
    if (followed.isEmpty()) {
      looking.ifPresent(task -> task.cancel(false));
      looking = Optional.empty();
    }
  }

  @Override
  public void close() {
    thread.close();
  }
}
