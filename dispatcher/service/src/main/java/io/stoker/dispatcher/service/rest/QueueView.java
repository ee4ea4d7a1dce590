package io.stoker.dispatcher.service.rest;

import io.stoker.dispatcher.fairshare.DeviceTime;
import io.stoker.dispatcher.fairshare.QueueSettings;
import io.stoker.dispatcher.fairshare.Standing;
import io.stoker.dispatcher.service.postgres.ApiQueries.QueueCount;
import io.stoker.dispatcher.status.Moments;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A queue: what it has to do, what it may, and what it has had.
 *
 * @param queued jobs in line
 * @param open jobs placed or running
 * @param headSince when the first in line arrived, ISO 8601; where jobs wait for several kinds of
 *     room, the earliest of their first; absent if none is in line
 * @param weight its share in proportion to the others'
 * @param weightShare what that is of the weights of all queues that have jobs in line or open, 0 to
 *     1; absent if it has none
 * @param maxRunning jobs of it that may be placed or running at once; absent without a limit
 * @param maxQueued jobs of it that may stand in line; absent without a limit
 * @param gpuSeconds GPUs × seconds that its jobs have taken, of which half is forgotten in each
 *     half-life
 * @param slotSeconds CPU slots likewise
 * @param gpuShare what that is of all queues' GPU seconds, 0 to 1; absent if there are none
 * @param slotShare of all queues' slot seconds likewise
 */
public record QueueView(
    String queue,
    long queued,
    long open,
    String headSince,
    double weight,
    Double weightShare,
    Integer maxRunning,
    Integer maxQueued,
    double gpuSeconds,
    double slotSeconds,
    Double gpuShare,
    Double slotShare) {
  /** All that stand anywhere, in order of name; those without a count have nothing to do. */
  static List<QueueView> of(
      List<QueueCount> counts, Map<String, Long> heads, Map<String, Standing> standings) {
    Map<String, QueueCount> work =
        counts.stream().collect(Collectors.toMap(QueueCount::queue, Function.identity()));
    DeviceTime all = total(standings.values());
    double weights =
        standings.values().stream()
            .filter(standing -> work.containsKey(standing.queue()))
            .mapToDouble(standing -> standing.settings().weight())
            .sum();
    return standings.values().stream()
        .sorted(Comparator.comparing(Standing::queue))
        .map(
            standing ->
                of(
                    work.getOrDefault(standing.queue(), new QueueCount(standing.queue(), 0, 0)),
                    heads.get(standing.queue()),
                    standing,
                    all,
                    weights))
        .toList();
  }

  private static DeviceTime total(Collection<Standing> standings) {
    return standings.stream().map(Standing::used).reduce(DeviceTime.NONE, DeviceTime::plus);
  }

  private static QueueView of(
      QueueCount work, Long head, Standing standing, DeviceTime all, double weights) {
    QueueSettings settings = standing.settings();
    DeviceTime used = standing.used();
    return new QueueView(
        work.queue(),
        work.queued(),
        work.open(),
        Moments.text(head),
        settings.weight(),
        work.queued() + work.open() > 0 ? share(settings.weight(), weights) : null,
        orNull(settings.maxRunning()),
        orNull(settings.maxQueued()),
        rounded(used.gpuMs() / 1e3, 10),
        rounded(used.slotMs() / 1e3, 10),
        share(used.gpuMs(), all.gpuMs()),
        share(used.slotMs(), all.slotMs()));
  }

  private static Double share(double own, double all) {
    return all > 0 ? Double.valueOf(rounded(own / all, 1e4)) : null;
  }

  private static double rounded(double figure, double parts) {
    return Math.round(figure * parts) / parts;
  }

  private static Integer orNull(OptionalInt limit) {
    return limit.isPresent() ? Integer.valueOf(limit.getAsInt()) : null;
  }
}
