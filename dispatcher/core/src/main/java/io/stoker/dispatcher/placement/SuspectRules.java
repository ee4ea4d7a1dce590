package io.stoker.dispatcher.placement;

import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.model.LaunchFailure;
import io.stoker.dispatcher.placement.Snapshot.Host;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The circuit breaker. A host on which several different jobs in a row could not be started gets no
 * more for a while, and then one at a time until one starts: else it would take and spoil whatever
 * is in line. The last usable host is never held: there the jobs may be at fault. A host that comes
 * and goes gets one job at a time, too, for as long as it has not stayed.
 *
 * @param failures how many different jobs make a host suspect; 0 suspects none
 * @param windowMs how long a failure, or a loss, counts
 * @param holdMs how long a host gets nothing after its last failure
 * @param losses how many times it must have been lost to be suspect; 0 suspects none
 */
public record SuspectRules(int failures, long windowMs, long holdMs, int losses) {
  private static final long MS_PER_SECOND = 1_000;

  public SuspectRules {
    require("failures", failures);
    require("losses", losses);
  }

  private static void require(String key, int given) {
    if (given < 0) {
      throw new IllegalArgumentException(
          "stoker.suspect.%s is %d, expected 0 or more".formatted(key, given));
    }
  }

  /**
   * All that is held against hosts; of one that was lost, too, what failed to start on it.
   *
   * @param known failures since something started on their hosts
   */
  public Map<String, Suspicion> suspicions(
      Collection<LaunchFailure> known, Collection<HostRow> hosts, long now) {
    Map<String, Suspicion> all = new TreeMap<>(judgeLosses(hosts, now));
    all.putAll(judge(known, now));
    return all;
  }

  /**
   * What is held against hosts on which jobs could not be started.
   *
   * @param known failures since something started on their hosts
   */
  public Map<String, Suspicion> judge(Collection<LaunchFailure> known, long now) {
    Map<String, List<LaunchFailure>> byHost =
        known.stream()
            .filter(failure -> counts(failure.at(), now))
            .collect(Collectors.groupingBy(LaunchFailure::host));
    Map<String, Suspicion> suspicions = new TreeMap<>();
    byHost.forEach(
        (host, ofHost) -> judge(ofHost, now).ifPresent(found -> suspicions.put(host, found)));
    return suspicions;
  }

  /**
   * Of what is to come the clock was ahead when it was noted: far from now in either direction it
   * says nothing of the host as it is.
   */
  private boolean counts(long at, long now) {
    return Math.abs(now - at) < windowMs;
  }

  private Optional<Suspicion> judge(List<LaunchFailure> ofHost, long now) {
    long jobs = ofHost.stream().map(LaunchFailure::job).distinct().count();
    if (failures == 0 || jobs < failures) {
      return Optional.empty();
    }
    long last = ofHost.stream().mapToLong(LaunchFailure::at).max().orElseThrow();
    long until = last + holdMs;
    String next =
        now < until
            ? "it is tried again in %d s".formatted(Math.ceilDiv(until - now, MS_PER_SECOND))
            : "it gets one job at a time until one starts";
    String sentence =
        "is suspect: %d different jobs in a row could not be started on it, the last %d s ago; %s"
            .formatted(jobs, Math.max(0, now - last) / MS_PER_SECOND, next);
    return Optional.of(new Suspicion(now < until, sentence));
  }

  /**
   * What is held against hosts that were lost again and again; nothing where there is no other one
   * that takes jobs, since theirs would only wait.
   */
  public Map<String, Suspicion> judgeLosses(Collection<HostRow> hosts, long now) {
    Map<String, Suspicion> suspicions = new TreeMap<>();
    hosts.forEach(
        host -> judgeLosses(host, now).ifPresent(found -> suspicions.put(host.id(), found)));
    boolean anyOther =
        hosts.stream()
            .anyMatch(
                host ->
                    host.state() == HostRow.State.UP
                        && !host.cordoned()
                        && !suspicions.containsKey(host.id()));
    return anyOther ? suspicions : Map.of();
  }

  private Optional<Suspicion> judgeLosses(HostRow host, long now) {
    List<Long> counting = host.duty().losses().stream().filter(at -> counts(at, now)).toList();
    if (losses == 0 || counting.size() < losses) {
      return Optional.empty();
    }
    long until = counting.get(counting.size() - losses) + windowMs;
    String sentence =
        "is suspect: it was lost %d times, the last time %d s ago; it gets one job at a time for %d s"
            .formatted(
                counting.size(),
                Math.max(0, now - counting.getLast()) / MS_PER_SECOND,
                Math.ceilDiv(until - now, MS_PER_SECOND));
    return Optional.of(new Suspicion(false, sentence));
  }

  /** Hosts as they are to be placed by: those that are suspect held or on trial. */
  public static List<Host> apply(
      List<Host> fleet, Map<String, Suspicion> suspicions, Collection<AttemptRow> open) {
    boolean anyLeft = fleet.stream().anyMatch(host -> host.usable() && !held(suspicions, host));
    if (suspicions.isEmpty() || !anyLeft) {
      return fleet;
    }
    List<Host> hosts = new ArrayList<>();
    for (Host host : fleet) {
      Suspicion suspicion = suspicions.get(host.id());
      if (suspicion == null || !host.usable()) {
        hosts.add(host);
      } else {
        boolean busy = open.stream().anyMatch(attempt -> attempt.host().equals(host.id()));
        hosts.add(suspicion.held() || busy ? host.unusable(suspicion.sentence()) : host.onTrial());
      }
    }
    return hosts;
  }

  private static boolean held(Map<String, Suspicion> suspicions, Host host) {
    Suspicion suspicion = suspicions.get(host.id());
    return suspicion != null && suspicion.held();
  }
}
