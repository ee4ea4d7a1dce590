package io.stoker.dispatcher.service.page;

import io.stoker.common.message.HostMessage.DeviceInfo;
import io.stoker.common.message.HostMessage.DeviceTelemetry;
import io.stoker.common.message.RequestStatus;
import io.stoker.dispatcher.memory.ExpectedEnd;
import io.stoker.dispatcher.service.rest.HostView;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A host on the map.
 *
 * @param gpus in the order of its device list
 * @param jobs that are on it, as far as they are known
 * @param ends until when they run, most likely, by request; of others that is not known
 */
public record HostCard(
    HostView host, List<Gpu> gpus, List<RequestStatus> jobs, Map<String, ExpectedEnd> ends) {
  private static final String WELL = "OK";
  private static final int MOST_NAMED = 8;

  /**
   * A GPU on the map.
   *
   * @param measured null if it was not
   * @param jobs that are on it
   * @param reserved whether its host is kept free for a job that takes GPUs
   */
  public record Gpu(
      DeviceInfo info, DeviceTelemetry measured, List<RequestStatus> jobs, boolean reserved) {
    /** How it is in one word, as style sheets name it. */
    public String standing() {
      if (!well(info)) {
        return "unwell";
      }
      return !jobs.isEmpty() ? "busy" : reserved ? "reserved" : "idle";
    }

    /** Of its memory what is taken, in percent; null if it was not measured. */
    public Long filled() {
      return measured == null || measured.memoryUsed() == null || info.memory() == 0
          ? null
          : Long.valueOf(100 * measured.memoryUsed() / info.memory());
    }
  }

  /** Whether a GPU may be used, as far as its host tells. */
  static boolean well(DeviceInfo gpu) {
    return gpu.state() == null || gpu.state().equals(WELL);
  }

  /** All jobs that run anywhere give those on this host. */
  static HostCard of(HostView host, List<RequestStatus> running, Map<String, ExpectedEnd> ends) {
    List<RequestStatus> here =
        running.stream().filter(job -> devices(job, host.host()) != null).toList();
    List<HostView.Reserved> kept = host.room().reserved();
    boolean reserved = kept != null && kept.stream().anyMatch(one -> one.gpus() > 0);
    List<Gpu> gpus =
        host.resources().devices().stream()
            .map(
                info ->
                    new Gpu(
                        info,
                        host.telemetry().stream()
                            .filter(one -> one.id().equals(info.id()))
                            .findFirst()
                            .orElse(null),
                        here.stream()
                            .filter(job -> devices(job, host.host()).contains(info.id()))
                            .toList(),
                        reserved))
            .toList();
    return new HostCard(host, gpus, here, ends(here, ends));
  }

  private static Map<String, ExpectedEnd> ends(
      List<RequestStatus> here, Map<String, ExpectedEnd> all) {
    return here.stream()
        .map(RequestStatus::id)
        .filter(all::containsKey)
        .collect(Collectors.toMap(id -> id, all::get));
  }

  /** Those that a job has on a host; null if it is not there. */
  private static List<String> devices(RequestStatus job, String host) {
    if (job.members() != null && !job.members().isEmpty()) {
      return job.members().stream()
          .filter(member -> member.host().equals(host))
          .map(RequestStatus.Member::devices)
          .findFirst()
          .orElse(null);
    }
    return !host.equals(job.host()) ? null : job.devices() == null ? List.of() : job.devices();
  }

  /** When it was last heard of, ISO 8601; null if never since this dispatcher started. */
  public String lastHeard() {
    Long age = host.agent().heartbeatAgeMs();
    return age == null ? null : Instant.now().minusMillis(age).toString();
  }

  /**
   * Jobs on it that have none of its GPUs.
   *
   * @param brief the first few
   * @param more how many others; null if none
   */
  public record WithoutGpu(List<RequestStatus> brief, Integer more) {
    public boolean isEmpty() {
      return brief.isEmpty();
    }
  }

  /** As far as a map has room for them. */
  public WithoutGpu withoutGpu() {
    List<RequestStatus> all =
        jobs.stream()
            .filter(job -> gpus.stream().noneMatch(gpu -> gpu.jobs().contains(job)))
            .toList();
    int more = all.size() - MOST_NAMED;
    return new WithoutGpu(all.stream().limit(MOST_NAMED).toList(), more > 0 ? more : null);
  }

  /** CPU slots that are taken. */
  public int slotsTaken() {
    return host.resources().cpuSlots() - host.room().freeCpuSlots();
  }

  /** CPU slots that are taken, in percent. */
  public int slotsFilled() {
    int all = host.resources().cpuSlots();
    return all == 0 ? 0 : 100 * slotsTaken() / all;
  }

  /** Of its memory what is promised, in percent; null if it does not tell. */
  public Long memoryFilled() {
    Long all = host.resources().memory();
    return all == null || all == 0 ? null : Long.valueOf(100 * host.room().memoryPromised() / all);
  }
}
