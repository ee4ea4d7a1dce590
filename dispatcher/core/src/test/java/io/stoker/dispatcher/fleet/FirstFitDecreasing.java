package io.stoker.dispatcher.fleet;

import io.stoker.dispatcher.fleet.Trace.Job;
import io.stoker.dispatcher.fleet.VirtualFleet.Run;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.Map;
import java.util.TreeMap;

/** Knows no queues and no shares: the largest job first, on the first host with room. */
final class FirstFitDecreasing implements VirtualFleet.Policy {
  private final Map<Integer, Deque<Job>> bySize = new TreeMap<>(Comparator.reverseOrder());

  FirstFitDecreasing(Trace trace) {
    trace.jobs().stream()
        .sorted(Comparator.comparingInt(Job::minutes).reversed())
        .forEach(job -> line(job).add(job));
  }

  private Deque<Job> line(Job job) {
    return bySize.computeIfAbsent(job.gpus(), size -> new ArrayDeque<>());
  }

  @Override
  public void place(VirtualFleet fleet) {
    for (Map.Entry<Integer, Deque<Job>> line : bySize.entrySet()) {
      for (int host = 0; host < Trace.HOSTS; host++) {
        while (fleet.usable(host)
            && fleet.free(host) >= line.getKey()
            && !line.getValue().isEmpty()) {
          fleet.start(line.getValue().remove(), host);
        }
      }
    }
  }

  @Override
  public void ended(Run run, int minute, boolean failed) {
    if (failed) {
      line(run.job()).addFirst(run.job());
    }
  }
}
