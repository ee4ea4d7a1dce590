package io.stoker.agent.app;

import io.stoker.agent.config.PoolsConfig;
import io.stoker.agent.config.VariableNames;
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
   * @param hostSecrets names of those that this host has
   * @param environment the agent's
   * @throws IllegalArgumentException naming the key that is wrong
   */
  static List<PoolSettings> config(
      PoolsConfig config, Set<String> hostSecrets, Map<String, String> environment) {
    return new TreeMap<>(config.byName())
        .entrySet().stream()
            .map(one -> pool(one.getKey(), one.getValue(), hostSecrets, environment))
            .toList();
  }

  private static PoolSettings pool(
      String name,
      PoolsConfig.Pool pool,
      Set<String> hostSecrets,
      Map<String, String> environment) {
    if (!PoolName.isValid(name)) {
      throw new IllegalArgumentException(
          "stoker.pools." + name + ": expected " + PoolName.EXPECTED);
    }
    String key = "stoker.pools." + name;
    var env = VariableNames.asWritten(key + ".env", pool.env(), environment);
    var secrets = VariableNames.asWritten(key + ".secrets", pool.secrets(), environment);
    try {
      check(secrets, env, hostSecrets);
      return new PoolSettings(
          name,
          pool.command(),
          env,
          secrets,
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
      throw new IllegalArgumentException(key + "." + e.getMessage(), e);
    }
  }

  private static void check(
      Map<String, String> secrets, Map<String, String> env, Set<String> hostSecrets) {
    secrets.forEach(
        (variable, secret) -> {
          if (!hostSecrets.contains(secret)) {
            throw new IllegalArgumentException(
                "secrets.%s: %s, expected a secret of this host, see stoker.agent.secrets.%s"
                    .formatted(variable, secret, secret));
          }
          if (env.containsKey(variable)) {
            throw new IllegalArgumentException(
                "secrets.%s: %s, expected a variable that env does not have, too"
                    .formatted(variable, secret));
          }
        });
  }
}
