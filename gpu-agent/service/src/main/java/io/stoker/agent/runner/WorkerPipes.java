package io.stoker.agent.runner;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.RunKey;
import io.stoker.agent.attempt.WorkerKey;
import io.stoker.agent.secret.Masks;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Talks to the workers of pools; from any thread. */
final class WorkerPipes {
  private final RunFolders folders;
  private final Inputs inputs;
  private final Map<RunKey, WorkerPipe> pipes = new ConcurrentHashMap<>();

  WorkerPipes(RunFolders folders, Inputs inputs) {
    this.folders = folders;
    this.inputs = inputs;
  }

  /**
   * Listens to a worker that is about to be started.
   *
   * @param masks what nobody is to hear of it
   */
  void open(WorkerKey key, Masks masks) throws IOException {
    pipes.put(key, WorkerPipe.open(key, folders, masks, inputs));
  }

  /** Tells a worker something, if it is there. */
  void tell(WorkerKey key, List<JsonNode> lines) {
    WorkerPipe pipe = pipes.get(key);
    if (pipe != null) {
      pipe.tell(lines);
    }
  }

  /** Tells the end of any run; that of a worker not before everything that it has said. */
  void over(RunKey key, Input end) {
    WorkerPipe pipe = pipes.remove(key);
    if (pipe == null) {
      inputs.accept(end);
    } else {
      pipe.end(() -> inputs.accept(end));
    }
  }
}
