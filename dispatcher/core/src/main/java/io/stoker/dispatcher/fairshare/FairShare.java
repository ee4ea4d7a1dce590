package io.stoker.dispatcher.fairshare;

import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.Takes;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Works out where queues stand: what ended is kept and forgotten by and by; what runs is derived
 * from open attempts each time.
 */
public record FairShare(Queues queues, Decay decay) {
  /** What an attempt counts for at least while it is open, in ms of the devices it has. */
  public static final long CHARGED_AHEAD_MS = 60_000;

  /**
   * All queues that are configured, have been used, have something open, or are named.
   *
   * @param ended what has ended, at most one a queue
   */
  public Map<String, Standing> standings(
      Collection<Usage> ended, List<AttemptRow> open, Collection<String> named, long now) {
    Map<String, List<AttemptRow>> running =
        open.stream().collect(Collectors.groupingBy(AttemptRow::queue));
    Map<String, DeviceTime> before =
        ended.stream().collect(Collectors.toMap(Usage::queue, usage -> usage.now(decay, now)));
    TreeSet<String> names = new TreeSet<>(named);
    names.addAll(running.keySet());
    names.addAll(before.keySet());
    queues.all().forEach(queue -> names.add(queue.name()));
    Map<String, Standing> standings = new HashMap<>();
    for (String name : names) {
      DeviceTime past = before.getOrDefault(name, DeviceTime.NONE);
      standings.put(name, standing(name, past, running.getOrDefault(name, List.of()), now));
    }
    return standings;
  }

  private Standing standing(String name, DeviceTime past, List<AttemptRow> open, long now) {
    DeviceTime used = past;
    DeviceTime charged = past;
    for (AttemptRow attempt : open) {
      DeviceTime run = takenBy(attempt, now);
      used = used.plus(run);
      charged =
          charged.plus(run.atLeast(ahead(attempt.takes().gpus(), attempt.takes().cpuSlots())));
    }
    return new Standing(queues.of(name), jobs(open), used, charged);
  }

  /** A job on several hosts is one. */
  private static int jobs(List<AttemptRow> open) {
    return (int) open.stream().map(AttemptRow::job).distinct().count();
  }

  private DeviceTime takenBy(AttemptRow attempt, long now) {
    double run = Math.max(0, now - attempt.placedAt());
    Takes takes = attempt.takes();
    return new DeviceTime(takes.gpus() * run, takes.cpuSlots() * run).leftOfRun(decay, run);
  }

  /** What an attempt counts for as soon as it is placed. */
  public static DeviceTime ahead(int gpus, int cpuSlots) {
    return new DeviceTime((double) gpus * CHARGED_AHEAD_MS, (double) cpuSlots * CHARGED_AHEAD_MS);
  }
}
