package io.stoker.dispatcher.placement;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * Chooses who ends so that a job fits on as many hosts as it takes: who loses least work, and then
 * as few as will do. None of those chosen could be spared.
 */
final class VictimSelection {
  private final List<Running> takeable;
  private final BiPredicate<String, Set<String>> fits;
  private final Predicate<Set<Running>> allowed;
  private final long now;

  /**
   * Among these.
   *
   * @param fits whether the job fits on a host without these jobs
   * @param allowed whether they may all be taken together
   */
  VictimSelection(
      List<Running> takeable,
      BiPredicate<String, Set<String>> fits,
      Predicate<Set<Running>> allowed,
      long now) {
    this.takeable = takeable.stream().sorted(leastLost(now)).toList();
    this.fits = fits;
    this.allowed = allowed;
    this.now = now;
  }

  /** What was found: the hosts on which the job will fit, and who ends for it. */
  record Selection(List<String> hosts, List<Running> victims) {}

  private record Option(String host, Set<Running> victims, long lost) {}

  private static Comparator<Running> leastLost(long now) {
    return Comparator.<Running>comparingLong(one -> one.lost(now)).thenComparing(Running::job);
  }

  /** So many of the hosts; nothing if too few can be had, or if nobody needs to end for them. */
  Optional<Selection> on(List<String> hosts, int members) {
    List<String> left = new ArrayList<>(hosts);
    List<String> chosen = new ArrayList<>();
    Set<Running> victims = new LinkedHashSet<>();
    while (chosen.size() < members) {
      // What a gang gives on one host, it gives on its others, too.
      Optional<Option> best =
          left.stream()
              .map(host -> option(host, victims))
              .flatMap(Optional::stream)
              .min(
                  Comparator.comparingLong(Option::lost)
                      .thenComparing(option -> option.victims().size())
                      .thenComparing(Option::host));
      if (best.isEmpty()) {
        return Optional.empty();
      }
      chosen.add(best.get().host());
      left.remove(best.get().host());
      victims.addAll(best.get().victims());
    }
    Set<Running> needed = withoutSpare(victims, some -> fitOnAll(chosen, some));
    return needed.isEmpty()
        ? Optional.empty()
        : Optional.of(new Selection(chosen, List.copyOf(needed)));
  }

  private boolean fitOnAll(List<String> hosts, Set<Running> without) {
    return hosts.stream().allMatch(host -> fits(host, without));
  }

  private boolean fits(String host, Set<Running> without) {
    return fits.test(host, without.stream().map(Running::job).collect(Collectors.toSet()));
  }

  /** What ends on a host beside those that end anyway; nothing if all together do not suffice. */
  private Optional<Option> option(String host, Set<Running> anyway) {
    if (fits(host, anyway)) {
      return Optional.of(new Option(host, Set.of(), 0));
    }
    List<Running> there =
        takeable.stream().filter(one -> one.on(host) && !anyway.contains(one)).toList();
    List<Set<Running>> found = new ArrayList<>();
    single(host, anyway, there).ifPresent(found::add);
    grown(host, anyway, there).ifPresent(found::add);
    grown(host, anyway, sorted(there, one -> (double) one.lost(now) / devices(one)))
        .ifPresent(found::add);
    return found.stream()
        .map(victims -> new Option(host, victims, lost(victims)))
        .min(
            Comparator.comparingLong(Option::lost)
                .thenComparing(option -> option.victims().size()));
  }

  private static List<Running> sorted(List<Running> some, ToDoubleFunction<Running> by) {
    return some.stream().sorted(Comparator.comparingDouble(by)).toList();
  }

  private static int devices(Running one) {
    return Math.max(1, one.amount(true) + one.amount(false));
  }

  private long lost(Set<Running> victims) {
    return victims.stream().mapToLong(one -> one.lost(now)).sum();
  }

  /** The one with least to lose that suffices alone. */
  private Optional<Set<Running>> single(String host, Set<Running> anyway, List<Running> there) {
    return there.stream()
        .map(Set::of)
        .filter(one -> allowed.test(union(anyway, one)) && fits(host, union(anyway, one)))
        .findFirst();
  }

  /** One after the other until that suffices, less those that the later ones have made needless. */
  private Optional<Set<Running>> grown(String host, Set<Running> anyway, List<Running> there) {
    Set<Running> victims = new LinkedHashSet<>();
    for (Running next : there) {
      Set<Running> more = union(victims, Set.of(next));
      if (allowed.test(union(anyway, more))) {
        victims = more;
        if (fits(host, union(anyway, victims))) {
          return Optional.of(withoutSpare(victims, some -> fits(host, union(anyway, some))));
        }
      }
    }
    return Optional.empty();
  }

  /** Those whose end is needed; whoever would lose most is spared first. */
  private Set<Running> withoutSpare(Set<Running> victims, Predicate<Set<Running>> suffice) {
    Set<Running> needed = new LinkedHashSet<>(victims);
    for (Running one : victims.stream().sorted(leastLost(now).reversed()).toList()) {
      Set<Running> without = new LinkedHashSet<>(needed);
      without.remove(one);
      if (suffice.test(without)) {
        needed = without;
      }
    }
    return needed;
  }

  private static Set<Running> union(Set<Running> some, Set<Running> others) {
    Set<Running> all = new LinkedHashSet<>(some);
    all.addAll(others);
    return all;
  }
}
