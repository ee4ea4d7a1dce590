package io.stoker.dispatcher.service.page;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.Code;
import io.stoker.dispatcher.service.page.Tallies.Tally;
import io.stoker.dispatcher.service.rest.HostView;
import io.stoker.dispatcher.service.rest.HostsResource.Fleet;
import io.stoker.dispatcher.service.rest.QueueView;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Shows whether anything is wrong, and what there is to do.
 *
 * @param troubles what a person should look at
 * @param failures of requests that ended since {@code since}, by their codes, the most first
 * @param more whether there may be others, which were not counted
 * @param looked how many of the newest requests were looked at for these; null if all were
 * @param since ISO 8601
 * @param seen whether that is when who looks had last seen what failed
 * @param until what failed up to here is among these, ISO 8601; null where Postgres does not tell:
 *     nothing but the troubles is known then
 * @param never jobs in line that no host can ever serve, by queue, the most first
 * @param moreNever whether there may be others
 * @param figures of all hosts
 * @param queues in order of name
 * @param running the newest requests that run
 * @param moreRunning whether others run
 */
public record Now(
    List<Trouble> troubles,
    List<Failures> failures,
    boolean more,
    Integer looked,
    String since,
    boolean seen,
    String until,
    List<Never> never,
    boolean moreNever,
    Figures figures,
    List<QueueView> queues,
    List<RequestStatus> running,
    boolean moreRunning) {
  private static final String CLEANING = "CLEANING";

  /**
   * Something that is wrong.
   *
   * @param host it is about; absent if it is about none
   * @param what in few words
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Trouble(String host, String what, String sentence) {}

  /**
   * Failures of one code.
   *
   * @param newest of them
   */
  public record Failures(Code code, long count, RequestStatus newest) {}

  /**
   * Jobs of one queue that no host can ever serve.
   *
   * @param newest of them; its reason says why
   */
  public record Never(String queue, long count, RequestStatus newest) {}

  /**
   * From when on what failed is shown.
   *
   * @param since ISO 8601
   * @param seen whether who looks had seen what failed before
   */
  record Since(String since, boolean seen) {}

  /** What all hosts have, and what of that is free. */
  public record Figures(int hosts, int up, int gpus, int freeGpus, int slots, int freeSlots) {
    static Figures of(List<HostView> all) {
      return new Figures(
          all.size(),
          (int) all.stream().filter(one -> one.condition().usable()).count(),
          all.stream().mapToInt(one -> one.resources().devices().size()).sum(),
          all.stream().mapToInt(one -> one.room().freeGpus()).sum(),
          all.stream().mapToInt(one -> one.resources().cpuSlots()).sum(),
          all.stream().mapToInt(one -> one.room().freeCpuSlots()).sum());
    }

    public int gpusTaken() {
      return gpus - freeGpus;
    }

    public int slotsTaken() {
      return slots - freeSlots;
    }
  }

  static Now of(
      Fleet fleet,
      List<QueueView> queues,
      Tally failed,
      Tally never,
      Jobs running,
      List<Trouble> others,
      Since since,
      String until) {
    List<Trouble> troubles =
        Stream.of(
                others.stream(),
                fleet.hosts().stream().flatMap(Now::troubles),
                fleet.ignored().stream()
                    .map(one -> new Trouble(one.host(), "ignored", one.reason())))
            .flatMap(some -> some)
            .toList();
    return new Now(
        troubles,
        failed.parts().stream()
            .filter(one -> one.newest().code() != null)
            .map(one -> new Failures(one.newest().code(), one.count(), one.newest()))
            .toList(),
        failed.more(),
        failed.looked(),
        since.since(),
        since.seen(),
        until,
        never.parts().stream()
            .map(one -> new Never(one.value(), one.count(), one.newest()))
            .toList(),
        never.more(),
        Figures.of(fleet.hosts()),
        queues,
        running.all(),
        running.more());
  }

  /**
   * What there is to say where Postgres does not answer.
   *
   * @param why in a sentence
   * @param others that are wrong, too
   */
  static Now unknown(String why, List<Trouble> others, Since since) {
    return new Now(
        Stream.concat(Stream.of(new Trouble(null, "Postgres", why)), others.stream()).toList(),
        List.of(),
        false,
        null,
        since.since(),
        since.seen(),
        null,
        List.of(),
        false,
        Figures.of(List.of()),
        List.of(),
        List.of(),
        false);
  }

  private static Stream<Trouble> troubles(HostView host) {
    String standing = Texts.standing(host);
    String why = host.condition().reason();
    Stream<Trouble> own =
        standing.equals("up")
            ? Stream.empty()
            : Stream.of(new Trouble(host.host(), standing, why == null ? "" : why));
    Stream<Trouble> devices =
        host.resources().devices().stream()
            // Each job's GPU is cleaned after it: who does not come clean is quarantined.
            .filter(one -> !HostCard.well(one) && !CLEANING.equals(one.state()))
            .map(
                one ->
                    new Trouble(
                        host.host(),
                        "GPU " + one.id() + " " + one.state().toLowerCase(Locale.ROOT),
                        one.reason() == null ? "" : one.reason()));
    return Stream.concat(own, devices);
  }

  /** A day before {@code until}, ISO 8601. */
  public String yesterday() {
    return Instant.parse(until)
        .minus(Duration.ofDays(1))
        .truncatedTo(ChronoUnit.MINUTES)
        .toString();
  }

  /** Whether there is nothing that a person should look at. */
  public boolean well() {
    return troubles.isEmpty() && failures.isEmpty() && never.isEmpty();
  }
}
