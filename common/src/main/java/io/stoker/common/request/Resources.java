package io.stoker.common.request;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The resources that a job needs of its host.
 *
 * @param type the runner, one of {@link RunnerType}
 * @param gpus GPUs, 0 to {@value #MAX_GPUS}; of types ssh and aws, of the machine that it runs on
 * @param gpuMemory GPU memory in bytes on each GPU, if declared
 * @param sharing whether others may run on the same GPUs
 * @param cpus CPU slots of a job without a GPU, 0 to {@value #MAX_CPUS}; a GPU job takes none
 * @param memory host memory in bytes, if declared
 * @param device one device by its id, if pinned
 * @param cpuFallback whether CPU slots serve where no host of the fleet has a GPU
 * @param gates whether it starts only when the gates of its host are open
 * @param require labels that the host or device must have
 * @param prefer labels that are better to have
 * @param avoid hosts that must not serve it
 * @param hosts hosts that it runs on at once, one member of it on each: 1 to {@value #MAX_HOSTS}.
 *     All else is said of each of them
 */
public record Resources(
    String type,
    int gpus,
    Optional<Long> gpuMemory,
    Sharing sharing,
    int cpus,
    Optional<Long> memory,
    Optional<String> device,
    boolean cpuFallback,
    boolean gates,
    Map<String, String> require,
    Map<String, String> prefer,
    List<String> avoid,
    int hosts) {
  /** The label by which hosts say that they can run a job without a network. */
  public static final String NETWORK = "network";

  /** What that label says there; also of a request that wants it. */
  public static final String NO_NETWORK = "none";

  public static final int MAX_GPUS = 1024;
  public static final int MAX_HOSTS = 1024;
  public static final int MAX_CPUS = 65_536;

  /** Whether a GPU is one job's alone. */
  public enum Sharing {
    EXCLUSIVE,
    SHARED
  }

  /** Whether it is to have no network. */
  public boolean offline() {
    return NO_NETWORK.equals(require.get(NETWORK));
  }

  /** One CPU slot: what a request gets that asks for nothing. */
  public static Resources oneSlot() {
    return new Resources(
        "cpu",
        0,
        Optional.empty(),
        Sharing.EXCLUSIVE,
        1,
        Optional.empty(),
        Optional.empty(),
        true,
        false,
        Map.of(),
        Map.of(),
        List.of(),
        1);
  }
}
