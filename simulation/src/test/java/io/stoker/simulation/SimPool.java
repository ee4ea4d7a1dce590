package io.stoker.simulation;

import io.stoker.agent.pool.PoolSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A pool of warm workers that a host's configuration has.
 *
 * @param ahead jobs that its workers can be told besides the one that they run; workers that take
 *     none do not say of a job that they begin it
 */
record SimPool(PoolSettings settings, int ahead) {
  /** In what time a worker has to be ready, ms. */
  static final int START = 3_000;

  /** In what time one has to end that was told to, ms. */
  static final int CLOSE = 1_000;

  private static final List<String> NAMES = List.of("iris", "rose");
  private static final double OFFERS = 0.7;

  String name() {
    return settings.name();
  }

  /** Whether its workers say of each job that they begin it, before they do. */
  boolean acknowledges() {
    return ahead > 0;
  }

  /** Those of a host: in some runs none. */
  static List<SimPool> drawn(World world, int gpus) {
    List<SimPool> pools = new ArrayList<>();
    for (String name : NAMES) {
      if (world.pools && world.poolChance.is(OFFERS)) {
        pools.add(drawn(name, world.poolChance, gpus));
      }
    }
    return pools;
  }

  private static SimPool drawn(String name, Chance chance, int gpus) {
    boolean single = chance.is(0.15);
    int max = single ? 0 : chance.between(1, 3);
    int min = chance.is(0.6) ? Math.min(1, max) : 0;
    boolean onGpu = gpus > 0 && chance.is(0.3);
    boolean shares = onGpu && chance.is(0.5);
    PoolSettings settings =
        new PoolSettings(
            name,
            List.of("worker"),
            Map.of(),
            Map.of(),
            Optional.empty(),
            min,
            max,
            chance.of(List.of(0, 2, 2, 6, 8)),
            chance.of(List.of(1, 3, 3, 20)) * Math.max(1, max),
            chance.between(1, 8) * 1_000L,
            START,
            CLOSE,
            chance.is(0.8),
            onGpu ? 1 : 0,
            shares ? OptionalLong.of(MachineMemory.OF_GPU / 4) : OptionalLong.empty(),
            !onGpu && chance.is(0.3) ? 1 : 0);
    return new SimPool(settings, chance.is(0.75) ? chance.between(1, 8) : 0);
  }
}
