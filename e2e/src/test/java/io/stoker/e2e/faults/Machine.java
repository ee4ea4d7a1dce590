package io.stoker.e2e.faults;

import io.stoker.cli.stack.child.Child;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** All that runs for an agent: itself, its helpers and its jobs. */
final class Machine {
  private Machine() {}

  /** Stops it all between two instructions. */
  static List<ProcessHandle> stop(Child agent) throws Exception {
    ProcessHandle root = ProcessHandle.of(agent.pid().orElseThrow()).orElseThrow();
    List<ProcessHandle> stopped = new ArrayList<>();
    while (true) {
      Optional<ProcessHandle> next =
          Stream.concat(Stream.of(root), root.descendants())
              .filter(one -> !stopped.contains(one))
              .findFirst();
      if (next.isEmpty()) {
        return stopped;
      }
      new ProcessBuilder("kill", "-STOP", Long.toString(next.get().pid())).start().waitFor();
      stopped.add(next.get());
    }
  }

  /** Ends it all, the agent last. */
  static void end(List<ProcessHandle> all) throws Exception {
    all.reversed().forEach(ProcessHandle::destroyForcibly);
    for (ProcessHandle one : all) {
      one.onExit().get(60, TimeUnit.SECONDS);
    }
  }
}
