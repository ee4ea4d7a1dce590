package io.stoker.dispatcher.service.rest;

import io.stoker.common.size.Durations;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.Takes.OnGpus;
import io.stoker.dispatcher.placement.FilterFailure;
import io.stoker.dispatcher.placement.HostAnswer;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Finds who has what a job waits for: which requests hold a busy host's devices or slots, and since
 * when.
 *
 * @param byHost what is open on a host that is busy, longest first, and how many there are
 */
record Holders(Map<String, List<AttemptRow>> byHost) {
  /** Of each host. */
  private static final int NAMED = 3;

  /** Of a large fleet the first ones; more are more than anybody reads. */
  private static final int HOSTS = 20;

  /**
   * Those of hosts that are busy.
   *
   * @param gpus whether GPUs are asked for, else CPU slots
   */
  static Holders of(List<HostAnswer> answers, List<AttemptRow> open, boolean gpus) {
    List<String> busy =
        answers.stream()
            .filter(answer -> answer.obstacle() == FilterFailure.BUSY)
            .limit(HOSTS)
            .map(HostAnswer::host)
            .toList();
    Map<String, List<AttemptRow>> byHost =
        open.stream()
            .filter(row -> busy.contains(row.host()))
            .filter(row -> row.takes().devices(gpus) > 0 && !row.waitsForDevice())
            .sorted(Comparator.comparingLong(AttemptRow::placedAt))
            .collect(Collectors.groupingBy(AttemptRow::host));
    return new Holders(byHost);
  }

  /** The jobs that are named. */
  List<String> jobs() {
    return byHost.values().stream()
        .flatMap(rows -> rows.stream().limit(NAMED))
        .map(AttemptRow::job)
        .distinct()
        .toList();
  }

  /**
   * The answers, with who holds what.
   *
   * @param requests which started these jobs, by job
   * @param now ms since 1970
   */
  List<HostAnswer> tell(List<HostAnswer> answers, Map<String, String> requests, long now) {
    return answers.stream()
        .map(
            answer -> {
              List<AttemptRow> rows = byHost.get(answer.host());
              return rows == null ? answer : answer.and(sentence(rows, requests, now));
            })
        .toList();
  }

  private static String sentence(List<AttemptRow> rows, Map<String, String> requests, long now) {
    String more = rows.size() > NAMED ? ", and %d more".formatted(rows.size() - NAMED) : "";
    return rows.stream()
        .limit(NAMED)
        .map(
            row ->
                "%s holds %s since %s"
                    .formatted(
                        requests.getOrDefault(row.job(), "job " + row.job()),
                        what(row),
                        Durations.text(Duration.ofMillis(Math.max(0, now - row.placedAt())))))
        .collect(Collectors.joining(", ", "", more));
  }

  /** Devices as their host calls them, such as {@code host-1:0}. */
  private static String what(AttemptRow row) {
    if (row.devices() != null && !row.devices().isEmpty()) {
      return row.devices().stream()
          .map(device -> row.host() + ":" + device)
          .collect(Collectors.joining(" "));
    }
    int devices = row.takes().devices();
    String what = row.takes() instanceof OnGpus ? " GPU" : " CPU slot";
    return devices + (devices == 1 ? what : what + "s");
  }
}
