package io.stoker.dispatcher.placement;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;

import io.stoker.common.message.HostMessage.DeviceInfo;
import io.stoker.dispatcher.model.Arrival;
import io.stoker.dispatcher.model.Avoid;
import io.stoker.dispatcher.model.MemoryKeys;
import io.stoker.dispatcher.model.Shape;
import io.stoker.dispatcher.placement.PlacementPass.Decision;
import io.stoker.dispatcher.placement.Snapshot.Host;
import io.stoker.dispatcher.scenario.ARequest;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * What a decision over 100 hosts takes, in CPU time of its thread: the middle of many, once they
 * are compiled. No test: figures of {@code docs/performance.md} come from it.
 */
public final class DecisionBench {
  private static final int HOSTS = 100;
  private static final int GPUS = 8;
  private static final long GPU_MEMORY = 80L << 30;
  private static final int WARM_UP = 300;
  private static final int MEASURED = 201;

  private DecisionBench() {}

  /** Prints a line a case. */
  public static void main(String[] arguments) {
    measure("4,096 jobs of 64 shapes, 400 free slots", hosts(4, 0), slots(4096));
    measure("1,024 jobs of 64 shapes, nothing free", hosts(0, 0), slots(1024));
    measure("1,024 that share GPUs, 160 needs, nothing free", hosts(0, 0), sharers(1024));
    measure("4,096 that share GPUs, 800 GPUs free", hosts(0, GPUS), sharers(4096));
  }

  private static void measure(String what, List<Host> hosts, List<QueueHead> heads) {
    Snapshot snapshot = new Snapshot(hosts, heads).choosing(new TieBreaker(1L));
    List<Long> took = new ArrayList<>();
    Decision last = null;
    for (int i = 0; i < WARM_UP + MEASURED; i++) {
      long before = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
      last = PlacementPass.decide(snapshot, 60_000);
      long after = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
      if (i >= WARM_UP) {
        took.add(after - before);
      }
    }
    took.sort(null);
    System.out.printf(
        Locale.ROOT,
        "%-50s %5d placed  %6.2f ms%n",
        what,
        last.assignments().size(),
        took.get(MEASURED / 2) / 1e6);
  }

  private static List<Host> hosts(int freeSlots, int freeGpus) {
    List<DeviceInfo> devices =
        IntStream.range(0, GPUS)
            .mapToObj(i -> new DeviceInfo("" + i, "GPU-" + i, "fake", GPU_MEMORY, "9.0"))
            .toList();
    return IntStream.range(0, HOSTS)
        .mapToObj(
            i ->
                Hosts.host(
                    "host-" + i,
                    null,
                    freeSlots,
                    64,
                    Map.of(),
                    new Sharing(
                        devices,
                        GpuCapacity.of(devices, List.of(), List.of(), GPUS - freeGpus),
                        null,
                        0),
                    Map.of()))
        .toList();
  }

  private static List<QueueHead> slots(int jobs) {
    List<Shape> shapes =
        IntStream.range(0, 64)
            .mapToObj(
                i ->
                    Shape.of(
                        aRequest("r").resource("cpus", 1 + i % 4).with("user", "u" + i).build()))
            .toList();
    return IntStream.range(0, jobs)
        .mapToObj(i -> head(i, shapes.get(i % shapes.size()), Memory.UNKNOWN))
        .toList();
  }

  /** Of 64 buckets, each of which takes 2 or 3 different amounts of memory. */
  private static List<QueueHead> sharers(int jobs) {
    ARequest shares = aRequest("r").gpus(1).resource("sharing", "shared");
    List<Shape> shapes =
        IntStream.range(0, 64).mapToObj(i -> Shape.of(shares.build(), "profile " + i)).toList();
    return IntStream.range(0, jobs)
        .mapToObj(
            i -> {
              long expected = (80L + i % 160) << 28;
              Memory memory = new Memory(new MemoryKeys("f" + i, null), expected, false);
              return head(i, shapes.get(i % shapes.size()), memory);
            })
        .toList();
  }

  private static QueueHead head(int i, Shape shape, Memory memory) {
    return new QueueHead(
        "job-" + i,
        "queue-" + i % 4,
        shape,
        0,
        Arrival.first(1_000_000) + i,
        Avoid.NOTHING,
        Set.of(),
        memory);
  }
}
