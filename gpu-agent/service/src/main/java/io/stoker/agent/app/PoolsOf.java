package io.stoker.agent.app;

import io.stoker.agent.config.PoolsConfig;
import io.stoker.agent.pool.PoolSettings;
import io.stoker.common.request.PoolName;
import io.stoker.common.size.ByteSize;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;

/** Pools of workers, as configured. */
final class PoolsOf {
  private PoolsOf() {}

  /**
   * The pools, in order of name.
   *
   * @param secrets names of those that this host has
   * @throws IllegalArgumentException naming the key that is wrong
   */
  static List<PoolSettings> config(PoolsConfig config, Set<String> secrets) {
    return new TreeMap<>(config.byName())
        .entrySet().stream().map(one -> pool(one, secrets)).toList();
  }

  private static PoolSettings pool(Map.Entry<String, PoolsConfig.Pool> one, Set<String> secrets) {
    String name = one.getKey();
    if (!PoolName.isValid(name)) {
      throw new IllegalArgumentException(
          "stoker.pools." + name + ": expected " + PoolName.EXPECTED);
    }
    PoolsConfig.Pool pool = one.getValue();
    try {
      return new PoolSettings(
          name,
          pool.command(),
          pool.env(),
          secrets(pool, secrets),
          pool.workdir().map(Path::toAbsolutePath).map(Path::toString),
          pool.min(),
          pool.max(),
          pool.queue(),
          pool.output().orElse(PoolSettings.OUTPUT_PER_WORKER * Math.max(1, pool.max())),
          pool.idleTimeout().toMillis(),
          pool.startTimeout().toMillis(),
          pool.closeTimeout().toMillis(),
          pool.restart(),
          pool.gpus(),
          pool.gpuMemory().isPresent()
              ? OptionalLong.of(ByteSize.parse(pool.gpuMemory().get()))
              : OptionalLong.empty(),
          pool.cpus());
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("stoker.pools." + name + "." + e.getMessage(), e);
    }
  }

  private static Map<String, String> secrets(PoolsConfig.Pool pool, Set<String> there) {
    pool.secrets()
        .forEach(
            (variable, secret) -> {
              if (!there.contains(secret)) {
                throw new IllegalArgumentException(
                    "secrets.%s: %s, expected a secret of this host, see stoker.agent.secrets.%s"
                        .formatted(variable, secret, secret));
              }
              if (pool.env().containsKey(variable)) {
                throw new IllegalArgumentException(
                    "secrets.%s: %s, expected a variable that env does not have, too"
                        .formatted(variable, secret));
              }
            });
    return pool.secrets();
  }
}
