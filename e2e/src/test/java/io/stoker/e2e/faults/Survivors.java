package io.stoker.e2e.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.message.RequestStatus;
import io.stoker.e2e.faults.Marks.Mark;
import io.stoker.e2e.stack.StatusLog;
import io.stoker.e2e.stack.StokerStack;
import io.stoker.e2e.stack.Traces;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Looks, as soon as each request is told to have ended, whether a process of its job still lives:
 * each has noted its pid.
 */
final class Survivors {
  private final StokerStack stack;
  private final Marks marks;
  private final Set<String> left = ConcurrentHashMap.newKeySet();
  private final List<String> found = new CopyOnWriteArrayList<>();

  Survivors(StokerStack stack, Marks marks, Set<String> requests) {
    this.stack = stack;
    this.marks = marks;
    left.addAll(requests);
  }

  /** Returns when all have ended, or it has taken too long; then says so. */
  void watch(Duration atMost, Runnable done) {
    long until = System.nanoTime() + atMost.toNanos();
    try {
      while (!left.isEmpty() && System.nanoTime() < until) {
        stack.statuses().awaitLasts(this::lookAtEnded, "nothing has ended for long");
      }
    } catch (AssertionError e) {
      found.add(e.getMessage());
    } finally {
      left.forEach(id -> found.add(id + " has not ended"));
      done.run();
    }
  }

  /** Whether any has ended that had not before. */
  private boolean lookAtEnded(Map<String, RequestStatus> lasts) {
    List<RequestStatus> ended =
        lasts.values().stream()
            .filter(status -> StatusLog.ENDS.contains(status.state()) && left.remove(status.id()))
            .toList();
    ended.forEach(this::look);
    return !ended.isEmpty();
  }

  private void look(RequestStatus ended) {
    try {
      Set<Long> pids = new HashSet<>();
      marks.of(ended.job()).stream().map(Mark::pid).forEach(pids::add);
      for (long pid : pids) {
        ProcessHandle.of(pid)
            .filter(Traces::lives)
            .filter(process -> Traces.isOfJob(process, ended.job()))
            .ifPresent(
                process ->
                    found.add(
                        "%d of %s outlives it: %s; %s"
                            .formatted(pid, ended.id(), ended, Traces.said(process))));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** How many of the requests have not ended. */
  int left() {
    return left.size();
  }

  void assertNone() {
    assertThat(found).isEmpty();
  }
}
