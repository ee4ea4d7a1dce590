package io.stoker.dispatcher.model;

import io.stoker.common.message.AttemptEvent.Usage;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The hosts of a job's newest attempt, where it has several at once. The rows of its members go one
 * by one as they end; how they ended is kept here until the last has.
 *
 * @param members by rank
 * @param address {@code host:port} where rank 0 is to be met; null until it has accepted
 */
public record Gang(List<Member> members, String address) {
  /**
   * A member.
   *
   * @param devices what it was given there
   * @param end null while it is open
   */
  public record Member(String host, List<String> devices, MemberEnd end) {
    public Member {
      devices = devices == null ? List.of() : devices;
    }
  }

  /** One that is placed on these hosts, by rank. */
  public static Gang on(List<String> hosts) {
    return new Gang(hosts.stream().map(host -> new Member(host, List.of(), null)).toList(), null);
  }

  public int size() {
    return members.size();
  }

  public Member member(int rank) {
    return members.get(rank);
  }

  /** Which member a host has. */
  public OptionalInt rankOn(String host) {
    return IntStream.range(0, members.size())
        .filter(rank -> members.get(rank).host().equals(host))
        .findFirst();
  }

  /** With what a host has given its member, and where it could be met. */
  public Gang with(int rank, List<String> devices, String offered) {
    Member before = members.get(rank);
    String where = rank == 0 && offered != null ? offered : address;
    return new Gang(put(rank, new Member(before.host(), devices, before.end())), where);
  }

  /** With the end of a member. */
  public Gang ended(int rank, MemberEnd end) {
    Member before = members.get(rank);
    return new Gang(put(rank, new Member(before.host(), before.devices(), end)), address);
  }

  /** As it is kept when all is over: of ends nothing but that they were. */
  public Gang closed() {
    return new Gang(
        members.stream().map(one -> new Member(one.host(), one.devices(), null)).toList(), address);
  }

  /** Whether a member has ended otherwise than well: no other one is to go on. */
  public boolean broken() {
    return ends().anyMatch(end -> !end.succeeded());
  }

  /** The end that counts for all, of those known; of successes that of rank 0. */
  public Optional<Cause> cause() {
    Cause worst = null;
    for (int rank = 0; rank < members.size(); rank++) {
      MemberEnd end = members.get(rank).end();
      if (end != null && (worst == null || MemberEnd.CAUSE.compare(end, worst.end()) > 0)) {
        worst = new Cause(members.get(rank).host(), end, rank);
      }
    }
    return Optional.ofNullable(worst);
  }

  /** The first end by rank of which this is true. */
  public Optional<Cause> first(Predicate<MemberEnd> which) {
    return IntStream.range(0, members.size())
        .filter(rank -> members.get(rank).end() != null && which.test(members.get(rank).end()))
        .mapToObj(rank -> new Cause(members.get(rank).host(), members.get(rank).end(), rank))
        .findFirst();
  }

  /**
   * An end that counts for all.
   *
   * @param host where it happened
   */
  public record Cause(String host, MemberEnd end, int rank) {
    /** With its place in the sentence for people. */
    public MemberEnd told() {
      return end.succeeded() ? end : end.by(rank, host);
    }
  }

  /** What all members together took, as far as it is known; times are those of the longest. */
  public Usage usage() {
    List<Usage> known = ends().map(MemberEnd::usage).filter(Objects::nonNull).toList();
    return known.isEmpty()
        ? null
        : new Usage(
            longest(known, Usage::wallMs),
            sum(known, Usage::cpuMs),
            sum(known, Usage::peakMemory),
            sum(known, Usage::peakGpuMemory),
            mean(known),
            sum(known, Usage::gpuMs),
            sum(known, Usage::energyMj),
            longest(known, Usage::waitedMs),
            longest(known, Usage::loadMs),
            longest(known, Usage::trainMs),
            null,
            known.stream().map(Usage::kept).filter(Objects::nonNull).findFirst().orElse(null));
  }

  private static Long longest(List<Usage> known, Function<Usage, Long> part) {
    return known.stream().map(part).filter(Objects::nonNull).max(Long::compare).orElse(null);
  }

  private static Long sum(List<Usage> known, Function<Usage, Long> part) {
    return known.stream().map(part).filter(Objects::nonNull).reduce(Long::sum).orElse(null);
  }

  private static Integer mean(List<Usage> known) {
    List<Integer> busy =
        known.stream().map(Usage::gpuUtilization).filter(Objects::nonNull).toList();
    return busy.isEmpty()
        ? null
        : (int) Math.round(busy.stream().mapToInt(Integer::intValue).average().orElseThrow());
  }

  private Stream<MemberEnd> ends() {
    return members.stream().map(Member::end).filter(Objects::nonNull);
  }

  private List<Member> put(int rank, Member member) {
    List<Member> all = new ArrayList<>(members);
    all.set(rank, member);
    return List.copyOf(all);
  }
}
