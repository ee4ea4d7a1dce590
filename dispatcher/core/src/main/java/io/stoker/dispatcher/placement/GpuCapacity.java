package io.stoker.dispatcher.placement;

import io.stoker.common.message.HostMessage.DeviceInfo;
import io.stoker.common.message.HostMessage.DeviceTelemetry;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.Takes.OnGpus;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/**
 * The free capacity of a host's GPUs: whole ones, and memory of those that are shared. Of a GPU
 * that is shared as much is left as neither promises nor, as last reported, anybody's use take.
 * Which GPU an unaccepted attempt will get is its agent's choice; until it is known the attempt is
 * counted where it fits.
 */
public final class GpuCapacity {
  private final List<Gpu> gpus;
  private final int reserved;
  private int takenSomewhere;

  /** GPUs that nobody has, those taken somewhere included. */
  private int free;

  /** What is left on the emptiest of those, and on the emptiest that is shared already. */
  private long mostOfFree;

  private long mostOfShared;

  private GpuCapacity(List<Gpu> gpus, int reserved, int takenSomewhere) {
    this.gpus = gpus;
    this.reserved = reserved;
    this.takenSomewhere = takenSomewhere;
    count();
  }

  /** Asked for each job on each host, so it is known without a look at each GPU. */
  private void count() {
    free = 0;
    mostOfFree = Long.MIN_VALUE;
    mostOfShared = Long.MIN_VALUE;
    for (Gpu gpu : gpus) {
      if (gpu.isFree()) {
        free++;
        mostOfFree = Math.max(mostOfFree, gpu.left());
      } else if (!gpu.alone) {
        mostOfShared = Math.max(mostOfShared, gpu.left());
      }
    }
  }

  /**
   * The room on a host.
   *
   * @param open attempts on it
   * @param reserved GPUs that are taken although no open attempt has them
   */
  static GpuCapacity of(
      List<DeviceInfo> devices,
      List<AttemptRow> open,
      List<DeviceTelemetry> telemetry,
      int reserved) {
    List<Gpu> gpus = new ArrayList<>();
    for (DeviceInfo device : devices) {
      long used =
          telemetry.stream()
              .filter(one -> one.id().equals(device.id()) && one.memoryUsed() != null)
              .mapToLong(DeviceTelemetry::memoryUsed)
              .findFirst()
              .orElse(0);
      gpus.add(new Gpu(device.id(), device.memory(), used));
    }
    GpuCapacity capacity = new GpuCapacity(gpus, reserved, reserved);
    List<OnGpus> unknown = new ArrayList<>();
    for (AttemptRow attempt : open) {
      if (attempt.takes() instanceof OnGpus has
          && !attempt.waitsForDevice()
          && !capacity.enter(attempt.devices(), has)) {
        unknown.add(has);
      }
    }
    capacity.count();
    unknown.forEach(has -> capacity.take(has.gpus(), has.gpuMemory(), Set.of()));
    return capacity;
  }

  GpuCapacity copy() {
    List<Gpu> copies = new ArrayList<>(gpus.size());
    gpus.forEach(gpu -> copies.add(gpu.copy()));
    return new GpuCapacity(copies, reserved, takenSomewhere);
  }

  /** Counts an attempt on the GPUs that its agent has named; false if those are not known here. */
  private boolean enter(List<String> devices, OnGpus has) {
    if (devices == null || devices.isEmpty()) {
      return false;
    }
    List<Gpu> named = gpus.stream().filter(gpu -> devices.contains(gpu.id)).toList();
    if (named.size() != has.gpus()) {
      return false;
    }
    named.forEach(gpu -> gpu.take(has.gpuMemory()));
    return true;
  }

  /** GPUs that are taken although no open attempt has them: out of use, or not clean yet. */
  int reserved() {
    return reserved;
  }

  /** GPUs that nobody has. */
  int whole() {
    return whole(Set.of());
  }

  /** The same, without some of them: what is taken somewhere may be any of the others. */
  private int whole(Set<String> without) {
    if (without.isEmpty()) {
      return free - takenSomewhere;
    }
    int others = 0;
    for (Gpu gpu : gpus) {
      others += gpu.isFree() && !without.contains(gpu.id) ? 1 : 0;
    }
    return others - takenSomewhere;
  }

  /** Whether so many GPUs can be given: whole, or so many bytes of each. */
  boolean has(int count, Long bytes) {
    return has(count, bytes, Set.of());
  }

  /** The same, without the GPUs of these ids. */
  boolean has(int count, Long bytes, Set<String> without) {
    if (bytes == null) {
      return whole(without) >= count;
    }
    long needed = bytes;
    if (count == 1 && without.isEmpty()) {
      return mostOfShared >= needed || (mostOfFree >= needed && whole() > 0);
    }
    int shared = 0;
    int fresh = 0;
    for (Gpu gpu : gpus) {
      if (gpu.left() >= needed && (without.isEmpty() || !without.contains(gpu.id))) {
        shared += gpu.shares(needed) ? 1 : 0;
        fresh += gpu.isFree() ? 1 : 0;
      }
    }
    return shared + Math.min(fresh, Math.max(0, whole(without))) >= count;
  }

  /** Bytes that are left for sharers on the GPU that has most. */
  long most() {
    return gpus.stream()
        .filter(gpu -> !gpu.alone)
        .mapToLong(gpu -> Math.max(0, gpu.left()))
        .max()
        .orElse(0);
  }

  /** Takes them; those that are shared already first, the fullest before the others. */
  void take(int count, Long bytes, Set<String> without) {
    int left = count;
    if (bytes != null) {
      left -= takeShared(count, bytes, without);
      left -= takeFree(Math.min(left, Math.max(0, whole(without))), bytes, without);
      count();
    }
    takenSomewhere += left;
  }

  private int takeShared(int most, long bytes, Set<String> without) {
    List<Gpu> fitting = new ArrayList<>(gpus.size());
    for (Gpu gpu : gpus) {
      if (gpu.shares(bytes) && !without.contains(gpu.id)) {
        fitting.add(gpu);
      }
    }
    fitting.sort(Comparator.comparingLong(Gpu::left));
    int taken = Math.min(most, fitting.size());
    fitting.subList(0, taken).forEach(gpu -> gpu.take(bytes));
    return taken;
  }

  private int takeFree(int most, long bytes, Set<String> without) {
    int taken = 0;
    for (Gpu gpu : gpus) {
      if (taken < most && gpu.isFree() && gpu.left() >= bytes && !without.contains(gpu.id)) {
        gpu.take(bytes);
        taken++;
      }
    }
    return taken;
  }

  /** Whether it could ever serve, with nothing else on it. */
  static boolean couldHave(List<DeviceInfo> devices, int count, Long bytes) {
    int large = 0;
    for (DeviceInfo device : devices) {
      large += bytes == null || device.memory() >= bytes ? 1 : 0;
    }
    return large >= count;
  }

  private static final class Gpu {
    private final String id;
    private final long total;
    private final long used;
    private long promised;
    private int sharers;
    private boolean alone;

    Gpu(String id, long total, long used) {
      this.id = id;
      this.total = total;
      this.used = used;
    }

    Gpu copy() {
      Gpu same = new Gpu(id, total, used);
      same.promised = promised;
      same.sharers = sharers;
      same.alone = alone;
      return same;
    }

    void take(Long bytes) {
      if (bytes == null) {
        alone = true;
      } else {
        sharers++;
        promised += bytes;
      }
    }

    boolean isFree() {
      return !alone && sharers == 0;
    }

    boolean shares(long bytes) {
      return !alone && sharers > 0 && left() >= bytes;
    }

    long left() {
      return total - Math.max(promised, used);
    }
  }
}
