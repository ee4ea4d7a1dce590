package io.stoker.dispatcher.placement;

import io.stoker.common.size.ByteSize;
import io.stoker.dispatcher.model.Shape;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Explains, with figures, why no host of a pass takes a job. */
final class Diagnosis {
  private final Collection<HostCapacity> capacities;
  private final List<HostCapacity> ever;

  /**
   * @param capacities all hosts
   * @param ever those that can ever serve it, whatever memory they have
   */
  Diagnosis(Collection<HostCapacity> capacities, List<HostCapacity> ever) {
    this.capacities = capacities;
    this.ever = ever;
  }

  /**
   * Why none takes it.
   *
   * @param could hosts that can ever serve it, its memory included
   */
  UnfeasibleKeys.Lack lack(List<HostCapacity> could, QueueHead head, Need need) {
    List<HostCapacity> lacking = lackingMemory(could, head, need);
    UnschedulableReason why = why(could, head, need);
    return lacking.isEmpty() || why.reason() != UnschedulableReason.Reason.NO_ROOM
        ? UnfeasibleKeys.Lack.of(why)
        : new UnfeasibleKeys.Lack(why, lacking.size(), could.size(), mostMemory(lacking));
  }

  private static List<HostCapacity> lackingMemory(
      List<HostCapacity> could, QueueHead head, Need need) {
    return could.stream().filter(capacity -> capacity.lacksMemoryAlone(head, need)).toList();
  }

  private static long mostMemory(List<HostCapacity> lacking) {
    return lacking.stream().mapToLong(capacity -> capacity.memory().left()).max().orElse(0);
  }

  private UnschedulableReason why(List<HostCapacity> could, QueueHead head, Need need) {
    int members = head.shape().members();
    String wanted = need.describeAll(gpusLike(head.shape()));
    String labels = head.shape().require().isEmpty() ? "" : " with " + head.shape().require();
    if (could.isEmpty()) {
      Optional<String> unserved = unserved(head.shape(), need);
      if (unserved.isPresent()) {
        return UnschedulableReason.never(unserved.get());
      }
      return UnschedulableReason.never(
          "no host can ever serve " + asked(head, need) + wanted + labels + largest());
    }
    if (could.size() < members) {
      return UnschedulableReason.never(
          "needs %d hosts with %s%s at once, and %d can ever serve it"
              .formatted(members, wanted, labels, could.size()));
    }
    if (members > 1) {
      return whyGang(could, head, need);
    }
    if (could.stream().noneMatch(capacity -> capacity.host().usable())) {
      return UnschedulableReason.hostsAway(
          could.stream().map(capacity -> capacity.host().why()).toList());
    }
    return could.stream()
        .filter(capacity -> capacity.isKeptFrom(head, need))
        .findFirst()
        .map(
            capacity ->
                UnschedulableReason.reserved(capacity.keptFor().orElseThrow(), need.describe()))
        .orElseGet(() -> UnschedulableReason.noRoom(could.size(), need.describe()));
  }

  /** Which GPUs alone would do; empty for any. */
  private static String gpusLike(Shape shape) {
    String memory =
        shape.gpuMemory() == null ? "" : " with " + ByteSize.text(shape.gpuMemory()) + " each";
    return shape.device() == null ? memory : memory + " named " + shape.device();
  }

  /** What it asks for where it would do with less. */
  private static String asked(QueueHead head, Need need) {
    boolean instead = head.shape().gpus() > 0 && !need.forGpus();
    return instead ? head.shape().gpus() + " GPU(s), nor in their place " : "";
  }

  /** What there is of memory, where nothing but that keeps the job from every host. */
  private String largest() {
    return ever.isEmpty()
        ? ""
        : "; the most memory that one of %d host(s) has which could serve it otherwise is %s"
            .formatted(
                ever.size(),
                ByteSize.text(
                    ever.stream()
                        .flatMap(capacity -> capacity.memory().total().stream())
                        .max(Comparator.naturalOrder())
                        .orElseThrow()));
  }

  /** Why nothing of its kind is ever placed, if none of the hosts serves that or its user. */
  private Optional<String> unserved(Shape shape, Need need) {
    if (!need.onPool()
        && capacities.stream()
            .noneMatch(capacity -> capacity.host().service().serves(shape.type()))) {
      String served =
          capacities.stream()
              .flatMap(capacity -> capacity.host().service().free().keySet().stream())
              .distinct()
              .sorted()
              .collect(Collectors.joining(", "));
      return Optional.of(
          "no host serves type %s; what they serve: %s"
              .formatted(shape.type(), served.isEmpty() ? "nothing" : served));
    }
    NodeMachines machines =
        NodeMachines.all(
            capacities.stream()
                .map(capacity -> capacity.host().service().machines(shape.type()))
                .toList());
    if (shape.nodeGpus() > 0 && machines.never(shape).isPresent()) {
      return Optional.of("no host has " + machines.lack(shape));
    }
    if (capacities.stream().noneMatch(capacity -> capacity.host().service().admits(shape.user()))) {
      return Optional.of(
          "no host serves "
              + (shape.user() == null ? "requests without user" : "user " + shape.user()));
    }
    return Optional.empty();
  }

  private static UnschedulableReason whyGang(List<HostCapacity> could, QueueHead head, Need need) {
    int members = head.shape().members();
    List<HostCapacity> usable =
        could.stream().filter(capacity -> capacity.host().usable()).toList();
    if (usable.size() < members) {
      return UnschedulableReason.hostsAway(members, usable.size(), could.size());
    }
    int withRoom = 0;
    List<HostCapacity> kept = new ArrayList<>();
    for (HostCapacity capacity : usable) {
      Optional<FilterFailure> failure = capacity.notNow(head, need, false);
      if (failure.isEmpty()) {
        withRoom++;
      } else if (failure.get() == FilterFailure.RESERVED) {
        kept.add(capacity);
      }
    }
    return withRoom + kept.size() >= members
        ? UnschedulableReason.reserved(kept.getFirst().keptFor().orElseThrow(), need.describe())
        : UnschedulableReason.noRoom(members, withRoom, could.size(), need.describe());
  }
}
