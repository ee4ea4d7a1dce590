package io.stoker.dispatcher.placement;

import io.stoker.dispatcher.placement.Snapshot.Head;
import io.stoker.dispatcher.placement.Snapshot.Host;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Gives the jobs in line to hosts with room, higher priority first, then in order of arrival. What
 * does not fit blocks nothing behind it. Of the hosts that fit, the one with most free of what is
 * asked is taken, by name among equals, so that the same snapshot always gives the same placements.
 */
public final class PlacementPass {
  /** Unaccepted placements a host may have: more would only wait in its topic. */
  private static final int MAX_OPEN_PLACEMENTS = 64;

  private final Map<String, Room> rooms = new LinkedHashMap<>();
  private final List<Assignment> assignments = new ArrayList<>();
  private final Map<String, Unplaced> unplaced = new LinkedHashMap<>();
  private final boolean fleetHasGpu;

  private PlacementPass(Snapshot snapshot) {
    snapshot.hosts().forEach(host -> rooms.put(host.id(), new Room(host)));
    fleetHasGpu = snapshot.hosts().stream().anyMatch(host -> !host.gpus().isEmpty());
  }

  /**
   * What a pass decides.
   *
   * @param unplaced by job, why a head was left
   */
  public record Decision(List<Assignment> assignments, Map<String, Unplaced> unplaced) {}

  /** Decides over a snapshot. */
  public static Decision decide(Snapshot snapshot) {
    PlacementPass pass = new PlacementPass(snapshot);
    snapshot.heads().stream()
        .sorted(Comparator.comparing(Head::priority).reversed().thenComparing(Head::seq))
        .forEach(pass::place);
    return new Decision(pass.assignments, pass.unplaced);
  }

  private void place(Head head) {
    Need need = need(head.shape());
    if (!need.servable()) {
      unplaced.put(
          head.job(),
          Unplaced.never(
              "no host of the fleet has a GPU, and CPU slots are"
                  + " refused by cpuFallback: false"));
      return;
    }
    List<Room> able = rooms.values().stream().filter(room -> room.everFits(head, need)).toList();
    if (able.isEmpty()) {
      unplaced.put(head.job(), Unplaced.never(describe(head, need)));
      return;
    }
    List<Room> unblemished =
        able.stream().filter(room -> !head.avoid().contains(room.host.id())).toList();
    List<Room> candidates = unblemished.isEmpty() ? able : unblemished;
    Predicate<Room> free = room -> room.fitsNow(head, need);
    Optional<Room> best = candidates.stream().filter(free).max(Room.mostFree(head, need));
    if (best.isEmpty()) {
      unplaced.put(head.job(), Unplaced.noRoom(candidates.size(), need.describe()));
      return;
    }
    assignments.add(best.get().take(head, need));
  }

  private Need need(Shape shape) {
    if (shape.gpus() == 0) {
      return new Need(0, shape.cpus(), true);
    }
    return fleetHasGpu
        ? new Need(shape.gpus(), 0, true)
        : new Need(0, shape.gpus(), shape.cpuFallback());
  }

  private String describe(Head head, Need need) {
    return "no host can ever serve " + need.describe() + describeLabels(head.shape());
  }

  private static String describeLabels(Shape shape) {
    return shape.require().isEmpty() ? "" : " with " + shape.require();
  }

  /** What a job takes of its host. */
  record Need(int gpus, int cpuSlots, boolean servable) {
    String describe() {
      return gpus > 0 ? gpus + " GPU(s)" : cpuSlots + " CPU slot(s)";
    }
  }

  /** A host while the pass gives from it. */
  private static final class Room {
    private final Host host;
    private int gpus;
    private int slots;
    private int placements;
    private final GpuRoom sharing;

    Room(Host host) {
      this.host = host;
      gpus = host.freeGpus();
      slots = host.freeSlots();
      placements = host.openPlacements();
      sharing = host.sharing().room().copy();
    }

    boolean everFits(Head head, Need need) {
      Shape shape = head.shape();
      return host.gpus().size() >= need.gpus()
          && host.cpuSlots() >= need.cpuSlots()
          && GpuRoom.couldHave(host.sharing().devices(), need.gpus(), shape.gpuMemory())
          && !shape.avoid().contains(host.id())
          && (shape.device() == null || need.gpus() == 0 || host.gpus().contains(shape.device()))
          && shape.require().entrySet().stream()
              .allMatch(label -> label.getValue().equals(host.labels().get(label.getKey())));
    }

    boolean fitsNow(Head head, Need need) {
      return host.usable()
          && (need.gpus() == 0 || sharing.has(need.gpus(), host.sharing().bytes(head.shape())))
          && slots >= need.cpuSlots()
          && placements < MAX_OPEN_PLACEMENTS
          && !head.returnedBy().contains(host.id());
    }

    Assignment take(Head head, Need need) {
      Long bytes = need.gpus() > 0 ? host.sharing().bytes(head.shape()) : null;
      sharing.take(need.gpus(), bytes);
      gpus = sharing.whole();
      slots -= need.cpuSlots();
      placements++;
      return new Assignment(head.job(), host.id(), need.gpus(), need.cpuSlots(), bytes);
    }

    static Comparator<Room> mostFree(Head head, Need need) {
      return Comparator.<Room>comparingLong(room -> room.preferred(head.shape()))
          .thenComparing(room -> need.gpus() > 0 ? room.gpus : room.slots)
          .thenComparing(room -> room.host.id(), Comparator.reverseOrder());
    }

    private long preferred(Shape shape) {
      return shape.prefer().entrySet().stream()
          .filter(label -> label.getValue().equals(host.labels().get(label.getKey())))
          .count();
    }
  }
}
