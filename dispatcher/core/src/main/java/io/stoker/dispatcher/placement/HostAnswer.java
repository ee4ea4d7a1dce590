package io.stoker.dispatcher.placement;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.stoker.common.size.ByteSize;
import io.stoker.dispatcher.model.Shape;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The answer of a host to a job that waits.
 *
 * @param obstacle why it does not take it, null if it could at this moment
 * @param sentence for people, with figures
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record HostAnswer(String host, FilterFailure obstacle, String sentence) {
  /** The answers of all hosts of a snapshot, in its order. */
  public static List<HostAnswer> of(Snapshot snapshot, QueueHead head) {
    FeasibleHosts feasible = new FeasibleHosts(snapshot.hosts(), snapshot.ties());
    Optional<Need> need = feasible.need(head);
    if (need.isEmpty()) {
      return feasible.capacities().stream()
          .map(capacity -> new HostAnswer(capacity.id(), FilterFailure.TOO_FEW_GPUS, "has no GPU"))
          .toList();
    }
    for (Reservation reservation : snapshot.reservations()) {
      if (!reservation.job().equals(head.job())) {
        feasible.keep(reservation, need.get());
      }
    }
    List<HostCapacity> able = feasible.able(SchedulingKey.of(head), head, need.get());
    return feasible.capacities().stream()
        .map(capacity -> answer(capacity, head, need.get(), able.contains(capacity)))
        .toList();
  }

  private static HostAnswer answer(HostCapacity capacity, QueueHead head, Need need, boolean able) {
    Optional<FilterFailure> failure = capacity.failure(head, need, able);
    return new HostAnswer(
        capacity.id(),
        failure.orElse(null),
        failure.map(why -> sentence(why, capacity, head, need)).orElse("could take it now"));
  }

  private static String busy(HostCapacity capacity, QueueHead head, Need need) {
    Long bytes = need.onGpus() ? capacity.host().sharing().bytes(head) : null;
    String free = free(capacity, need, bytes);
    Set<String> avoided = capacity.avoided(head, need);
    return avoided.isEmpty() ? free : free + "; not counted: " + avoided + ", which failed it";
  }

  private static String free(HostCapacity capacity, Need need, Long bytes) {
    if (need.onPool()) {
      return "has no place left in pool " + need.takes().pool();
    }
    String runner = need.takes().runner();
    if (runner != null && capacity.slots(need) <= 0) {
      return "has no slot of runner %s free now".formatted(runner);
    }
    return bytes == null
        ? "has %d of its %s free, needs %d"
            .formatted(
                Math.max(0, capacity.free(need)),
                need.onGpus()
                    ? plural(capacity.host().devices().size(), "GPU")
                    : plural(capacity.host().cpuSlots(), "CPU slot"),
                need.takes().devices())
        : "has %s free for jobs that share, of %s on each of %s"
            .formatted(
                ByteSize.text(capacity.host().sharing().capacity().most()),
                ByteSize.text(bytes),
                need.describe());
  }

  private static String plural(int many, String what) {
    return many == 1 ? "1 " + what : many + " " + what + "s";
  }

  /** The same, with more to say. */
  public HostAnswer and(String more) {
    return new HostAnswer(host, obstacle, sentence + "; " + more);
  }

  private static String sentence(
      FilterFailure why, HostCapacity capacity, QueueHead head, Need need) {
    Shape shape = head.shape();
    NodeMachines machines = capacity.host().service().machines(shape.type());
    if (shape.nodeGpus() > 0 && machines.never(shape).filter(why::equals).isPresent()) {
      return "does not have " + machines.lack(shape);
    }
    return switch (why) {
      case AVOIDED -> "is among those that the request avoids";
      case NO_SUCH_RUNNER ->
          "serves %s, and not %s".formatted(capacity.host().service().types(), shape.type());
      case NOT_FOR_USER ->
          "serves users %s, and not %s"
              .formatted(
                  String.join(", ", capacity.host().service().users()),
                  shape.user() == null ? "a request without user" : shape.user());
      case TOO_FEW_GPUS ->
          "has %d GPU(s) of %d".formatted(capacity.host().devices().size(), need.gpus());
      case TOO_FEW_SLOTS ->
          "has %d CPU slot(s) of %d".formatted(capacity.host().cpuSlots(), need.cpuSlots());
      case NO_SUCH_POOL -> "has no pool " + shape.pool();
      case NO_SUCH_DEVICE -> "has no device " + shape.device();
      case LABEL -> Labels.missing(shape, capacity.host());
      case TOO_LITTLE_GPU_MEMORY ->
          "has fewer than %d GPU(s) with %s"
              .formatted(need.gpus(), ByteSize.text(shape.gpuMemory()));
      case TOO_LITTLE_MEMORY ->
          "has %s of memory in all, and it is to be promised %s"
              .formatted(
                  ByteSize.text(capacity.memory().total().orElseThrow()), need.memory().describe());
      case NOT_USABLE -> capacity.host().why();
      case FAILED_BEFORE -> "has failed it before, and others can serve it";
      case RETURNED -> "has returned such a job, and not changed since";
      case BEHIND ->
          "has not accepted %d earlier placements yet".formatted(capacity.host().openPlacements());
      case BUSY -> busy(capacity, head, need);
      case BUSY_MEMORY -> capacity.memory().lacks(need.memory());
      case RESERVED -> "is kept free for job " + capacity.keptFor().orElse("of a queue before it");
    };
  }
}
