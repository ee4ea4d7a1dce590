package io.stoker.agent.runner;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.secret.Masks;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** What workers of pools say and are told; from any thread. */
final class WorkerPipes {
  private final RunFolders folders;
  private final Inputs inputs;
  private final Map<String, WorkerPipe> pipes = new ConcurrentHashMap<>();

  WorkerPipes(RunFolders folders, Inputs inputs) {
    this.folders = folders;
    this.inputs = inputs;
  }

  /**
   * Listens to a worker that is about to be started.
   *
   * @param masks what nobody is to hear of it
   */
  void open(AttemptKey key, Masks masks) throws IOException {
    pipes.put(key.toString(), WorkerPipe.open(key, folders, masks, inputs));
  }

  /** Tells a worker something, if it is there. */
  void tell(AttemptKey key, List<JsonNode> lines) {
    WorkerPipe pipe = pipes.get(key.toString());
    if (pipe != null) {
      pipe.tell(lines);
    }
  }

  /** Tells the end of any run; that of a worker not before everything that it has said. */
  void over(AttemptKey key, Input end) {
    WorkerPipe pipe = pipes.remove(key.toString());
    if (pipe == null) {
      inputs.accept(end);
    } else {
      pipe.end(() -> inputs.accept(end));
    }
  }
}
