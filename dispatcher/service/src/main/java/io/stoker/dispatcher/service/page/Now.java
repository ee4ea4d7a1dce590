package io.stoker.dispatcher.service.page;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.Code;
import io.stoker.dispatcher.service.rest.HostView;
import io.stoker.dispatcher.service.rest.HostsResource.Fleet;
import io.stoker.dispatcher.service.rest.QueueView;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Whether anything is wrong, and what there is to do.
 *
 * @param troubles what a person should look at
 * @param failures of requests since {@code since}, by their codes, the most first
 * @param more whether more have failed than were counted
 * @param since ISO 8601
 * @param figures of all hosts
 * @param queues in order of name
 * @param running the newest requests that run
 */
public record Now(
    List<Trouble> troubles,
    List<Failures> failures,
    boolean more,
    String since,
    Figures figures,
    List<QueueView> queues,
    List<RequestStatus> running) {

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
  public record Failures(Code code, int count, RequestStatus newest) {}

  /** What all hosts have, and what of that is free. */
  public record Figures(int hosts, int up, int gpus, int freeGpus, int slots, int freeSlots) {
    static Figures of(List<HostView> all) {
      return new Figures(
          all.size(),
          (int) all.stream().filter(HostView::usable).count(),
          all.stream().mapToInt(one -> one.resources().devices().size()).sum(),
          all.stream().mapToInt(HostView::freeGpus).sum(),
          all.stream().mapToInt(one -> one.resources().cpuSlots()).sum(),
          all.stream().mapToInt(HostView::freeCpuSlots).sum());
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
      Jobs failed,
      Jobs running,
      List<Trouble> others,
      String since) {
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
        failures(failed.all()),
        failed.more(),
        since,
        Figures.of(fleet.hosts()),
        queues,
        running.all());
  }

  private static Stream<Trouble> troubles(HostView host) {
    String standing = Texts.standing(host);
    Stream<Trouble> own =
        standing.equals("up")
            ? Stream.empty()
            : Stream.of(
                new Trouble(host.host(), standing, host.reason() == null ? "" : host.reason()));
    Stream<Trouble> devices =
        host.resources().devices().stream()
            .filter(one -> !HostCard.well(one))
            .map(
                one ->
                    new Trouble(
                        host.host(),
                        "GPU " + one.id() + " " + one.state().toLowerCase(Locale.ROOT),
                        one.reason() == null ? "" : one.reason()));
    return Stream.concat(own, devices);
  }

  private static List<Failures> failures(List<RequestStatus> failed) {
    Map<Code, List<RequestStatus>> byCode =
        failed.stream()
            .filter(one -> one.code() != null)
            .collect(Collectors.groupingBy(RequestStatus::code));
    return byCode.entrySet().stream()
        .map(one -> new Failures(one.getKey(), one.getValue().size(), one.getValue().getFirst()))
        .sorted(Comparator.comparing(Failures::count).reversed().thenComparing(Failures::code))
        .toList();
  }
}
