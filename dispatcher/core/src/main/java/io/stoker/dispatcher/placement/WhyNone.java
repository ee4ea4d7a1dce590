package io.stoker.dispatcher.placement;

import io.stoker.common.size.ByteSize;
import io.stoker.dispatcher.ledger.Shape;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Why no host of a pass takes a job, with figures. */
final class WhyNone {
  private final Collection<Room> rooms;
  private final List<Room> ever;

  /**
   * @param rooms all hosts
   * @param ever those that can ever serve it, whatever memory they have
   */
  WhyNone(Collection<Room> rooms, List<Room> ever) {
    this.rooms = rooms;
    this.ever = ever;
  }

  /**
   * Why none takes it.
   *
   * @param could hosts that can ever serve it, its memory included
   */
  NoRoom.Lack lack(List<Room> could, Head head, Need need) {
    List<Room> lacking = lackingMemory(could, head, need);
    Unplaced why = why(could, head, need);
    return lacking.isEmpty() || why.reason() != Unplaced.Reason.NO_ROOM
        ? NoRoom.Lack.of(why)
        : new NoRoom.Lack(why, lacking.size(), could.size(), mostMemory(lacking));
  }

  private static List<Room> lackingMemory(List<Room> could, Head head, Need need) {
    return could.stream().filter(room -> room.lacksMemoryAlone(head, need)).toList();
  }

  private static long mostMemory(List<Room> lacking) {
    return lacking.stream().mapToLong(room -> room.memory().left()).max().orElse(0);
  }

  private Unplaced why(List<Room> could, Head head, Need need) {
    int members = head.shape().members();
    String labels = head.shape().require().isEmpty() ? "" : " with " + head.shape().require();
    if (could.isEmpty()) {
      Optional<String> unserved = unserved(head.shape());
      if (unserved.isPresent()) {
        return Unplaced.never(unserved.get());
      }
      return Unplaced.never(
          "no host can ever serve " + asked(head, need) + need.describeAll() + labels + largest());
    }
    if (could.size() < members) {
      return Unplaced.never(
          "needs %d hosts with %s%s at once, and %d can ever serve it"
              .formatted(members, need.describeAll(), labels, could.size()));
    }
    if (members > 1) {
      return whyGang(could, head, need);
    }
    if (could.stream().noneMatch(room -> room.host().usable())) {
      return Unplaced.hostsAway(could.stream().map(room -> room.host().why()).toList());
    }
    return could.stream()
        .filter(room -> room.isKeptFrom(head, need))
        .findFirst()
        .map(room -> Unplaced.reserved(room.keptFor().orElseThrow(), need.describe()))
        .orElseGet(() -> Unplaced.noRoom(could.size(), need.describe()));
  }

  /** What it asks for where it would do with less. */
  private static String asked(Head head, Need need) {
    boolean instead = head.shape().gpus() > 0 && !need.forGpus() && !need.onPool();
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
                        .flatMap(room -> room.memory().total().stream())
                        .max(Comparator.naturalOrder())
                        .orElseThrow()));
  }

  /** Why nothing of its kind is ever placed, if none of the hosts serves that or its user. */
  private Optional<String> unserved(Shape shape) {
    if (shape.pool() == null
        && rooms.stream().noneMatch(room -> room.host().service().serves(shape.type()))) {
      String served =
          rooms.stream()
              .flatMap(room -> room.host().service().free().keySet().stream())
              .distinct()
              .sorted()
              .collect(Collectors.joining(", "));
      return Optional.of(
          "no host serves type %s; what they serve: %s"
              .formatted(shape.type(), served.isEmpty() ? "nothing" : served));
    }
    NodeMachines machines =
        NodeMachines.all(
            rooms.stream().map(room -> room.host().service().machines(shape.type())).toList());
    if (shape.nodeGpus() > 0 && machines.never(shape).isPresent()) {
      return Optional.of("no host has " + machines.lack(shape));
    }
    if (rooms.stream().noneMatch(room -> room.host().service().admits(shape.user()))) {
      return Optional.of(
          "no host serves "
              + (shape.user() == null ? "requests without user" : "user " + shape.user()));
    }
    return Optional.empty();
  }

  private static Unplaced whyGang(List<Room> could, Head head, Need need) {
    int members = head.shape().members();
    List<Room> usable = could.stream().filter(room -> room.host().usable()).toList();
    if (usable.size() < members) {
      return Unplaced.hostsAway(members, usable.size(), could.size());
    }
    int withRoom = 0;
    List<Room> kept = new ArrayList<>();
    for (Room room : usable) {
      Optional<Obstacle> obstacle = room.notNow(head, need, false);
      if (obstacle.isEmpty()) {
        withRoom++;
      } else if (obstacle.get() == Obstacle.RESERVED) {
        kept.add(room);
      }
    }
    return withRoom + kept.size() >= members
        ? Unplaced.reserved(kept.getFirst().keptFor().orElseThrow(), need.describe())
        : Unplaced.noRoom(members, withRoom, could.size(), need.describe());
  }
}
