package io.stoker.dispatcher.fleet;

import io.stoker.dispatcher.fleet.Trace.Job;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** Hosts that run jobs minute by minute, and lose them when they fail. */
final class VirtualFleet {
  /** Who decides. */
  interface Policy {
    /** Starts what it will by {@link VirtualFleet#start}. */
    void place(VirtualFleet fleet);

    /** The job has ended, or its host has failed and it is to run again. */
    void ended(Run run, int minute, boolean failed);
  }

  /** A job that runs. */
  record Run(Job job, int host, int startedAt) {}

  private final int[] free = new int[Trace.HOSTS];
  private final int[] awayUntil = new int[Trace.HOSTS];
  private final List<Run> running = new ArrayList<>();
  private final Map<String, Long> gpuMinutes = new HashMap<>();
  private final List<Integer> busy = new ArrayList<>();
  private int minute;

  VirtualFleet() {
    Arrays.fill(free, Trace.GPUS);
  }

  /** Lets a policy run a trace for some minutes. */
  void run(Trace trace, Policy policy, int minutes) {
    for (minute = 0; minute < minutes; minute++) {
      end(policy);
      Integer failing = trace.failures().get(minute);
      if (failing != null) {
        fail(failing, policy);
      }
      policy.place(this);
      busy.add(running.stream().mapToInt(run -> run.job().gpus()).sum());
      running.forEach(
          run -> gpuMinutes.merge(run.job().queue(), (long) run.job().gpus(), Long::sum));
    }
  }

  private void end(Policy policy) {
    for (Iterator<Run> runs = running.iterator(); runs.hasNext(); ) {
      Run run = runs.next();
      if (minute - run.startedAt() >= run.job().minutes()) {
        runs.remove();
        free[run.host()] += run.job().gpus();
        policy.ended(run, minute, false);
      }
    }
  }

  private void fail(int host, Policy policy) {
    awayUntil[host] = minute + Trace.AWAY;
    free[host] = Trace.GPUS;
    List<Run> lost = running.stream().filter(run -> run.host() == host).toList();
    running.removeAll(lost);
    lost.forEach(run -> policy.ended(run, minute, true));
  }

  int minute() {
    return minute;
  }

  boolean usable(int host) {
    return minute >= awayUntil[host];
  }

  int free(int host) {
    return free[host];
  }

  List<Run> running() {
    return running;
  }

  void start(Job job, int host) {
    if (!usable(host) || free[host] < job.gpus()) {
      throw new AssertionError("host " + host + " has no room for " + job);
    }
    free[host] -= job.gpus();
    running.add(new Run(job, host, minute));
  }

  /** GPUs at work in each minute. */
  List<Integer> busy() {
    return busy;
  }

  /** GPU time that a queue has had, in minutes. */
  long had(String queue) {
    return gpuMinutes.getOrDefault(queue, 0L);
  }

  /** GPU time that all have had. */
  long hadByAll() {
    return gpuMinutes.values().stream().mapToLong(Long::longValue).sum();
  }
}
