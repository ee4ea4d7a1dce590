package io.stoker.dispatcher.placement;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.stoker.common.size.ByteSize;
import io.stoker.dispatcher.ledger.Shape;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What a host says to a job that waits.
 *
 * @param obstacle why it does not take it, null if it could at this moment
 * @param sentence for people, with figures
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record HostAnswer(String host, Obstacle obstacle, String sentence) {

  /** The answers of all hosts of a snapshot, in its order. */
  public static List<HostAnswer> of(Snapshot snapshot, Head head) {
    Candidates candidates = new Candidates(snapshot.hosts(), snapshot.ties());
    Optional<Need> need = candidates.need(head);
    if (need.isEmpty()) {
      return candidates.rooms().stream()
          .map(room -> new HostAnswer(room.id(), Obstacle.TOO_FEW_GPUS, "has no GPU"))
          .toList();
    }
    for (Claim claim : snapshot.claims()) {
      if (!claim.job().equals(head.job())) {
        candidates.keep(claim, need.get());
      }
    }
    List<Room> able = candidates.able(Asked.of(head), head, need.get());
    return candidates.rooms().stream()
        .map(room -> answer(room, head, need.get(), able.contains(room)))
        .toList();
  }

  private static HostAnswer answer(Room room, Head head, Need need, boolean able) {
    Optional<Obstacle> obstacle = room.obstacle(head, need, able);
    return new HostAnswer(
        room.id(),
        obstacle.orElse(null),
        obstacle.map(why -> sentence(why, room, head, need)).orElse("could take it now"));
  }

  private static String busy(Room room, Head head, Need need) {
    Long bytes = need.onGpus() ? room.host().sharing().bytes(head) : null;
    String free = free(room, need, bytes);
    Set<String> avoided = room.avoided(head, need);
    return avoided.isEmpty() ? free : free + "; not counted: " + avoided + ", which failed it";
  }

  private static String free(Room room, Need need, Long bytes) {
    if (need.onPool()) {
      return "has no place left in pool " + need.pool();
    }
    if (need.runner() != null && room.slots(need) <= 0) {
      return "has no slot of runner %s free now".formatted(need.runner());
    }
    return bytes == null
        ? "has %d of its %s free, needs %d"
            .formatted(
                Math.max(0, room.free(need)),
                need.onGpus()
                    ? plural(room.host().devices().size(), "GPU")
                    : plural(room.host().cpuSlots(), "CPU slot"),
                need.onGpus() ? need.gpus() : need.cpuSlots())
        : "has %s free for jobs that share, of %s on each of %s"
            .formatted(
                ByteSize.text(room.host().sharing().room().most()),
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

  private static String sentence(Obstacle why, Room room, Head head, Need need) {
    Shape shape = head.shape();
    NodeMachines machines = room.host().service().machines(shape.type());
    if (shape.nodeGpus() > 0 && machines.never(shape).filter(why::equals).isPresent()) {
      return "does not have " + machines.lack(shape);
    }
    return switch (why) {
      case AVOIDED -> "is among those that the request avoids";
      case NO_SUCH_RUNNER ->
          "serves %s, and not %s".formatted(room.host().service().types(), shape.type());
      case NOT_FOR_USER ->
          "serves users %s, and not %s"
              .formatted(
                  String.join(", ", room.host().service().users()),
                  shape.user() == null ? "a request without user" : shape.user());
      case TOO_FEW_GPUS ->
          "has %d GPU(s) of %d".formatted(room.host().devices().size(), need.gpus());
      case TOO_FEW_SLOTS ->
          "has %d CPU slot(s) of %d".formatted(room.host().cpuSlots(), need.cpuSlots());
      case NO_SUCH_POOL -> "has no pool " + shape.pool();
      case NO_SUCH_DEVICE -> "has no device " + shape.device();
      case LABEL -> Labels.missing(shape, room.host());
      case TOO_LITTLE_GPU_MEMORY ->
          "has fewer than %d GPU(s) with %s"
              .formatted(need.gpus(), ByteSize.text(shape.gpuMemory()));
      case TOO_LITTLE_MEMORY ->
          "has %s of memory in all, and it is to be promised %s"
              .formatted(
                  ByteSize.text(room.memory().total().orElseThrow()), need.memory().describe());
      case NOT_USABLE -> room.host().why();
      case FAILED_BEFORE -> "has failed it before, and others can serve it";
      case RETURNED -> "has returned such a job, and not changed since";
      case BEHIND ->
          "has not accepted %d earlier placements yet".formatted(room.host().openPlacements());
      case BUSY -> busy(room, head, need);
      case BUSY_MEMORY -> room.memory().lacks(need.memory());
      case RESERVED -> "is kept free for job " + room.keptFor().orElse("of a queue before it");
    };
  }
}
