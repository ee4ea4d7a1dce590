package io.stoker.agent.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.smallrye.config.EnvConfigSource;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.stoker.agent.config.PoolsConfig;
import io.stoker.agent.pool.PoolSettings;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Pools, as configured. */
class PoolsOfTest {
  @Test
  void secrets_areOfThisHost() {
    assertThat(pools(Map.of("secrets.HF_TOKEN", "hf")).getFirst().secrets())
        .containsExactly(Map.entry("HF_TOKEN", "hf"));
    assertThat(pools(Map.of()).getFirst().secrets()).isEmpty();
  }

  @Test
  void secrets_thatAreNone_areRefusedByTheirKey() {
    assertThatThrownBy(() -> pools(Map.of("secrets.HF_TOKEN", "other")))
        .hasMessageContainingAll(
            "stoker.pools.iris.secrets.HF_TOKEN: other", "stoker.agent.secrets.other");
    assertThatThrownBy(() -> pools(Map.of("secrets.HF_TOKEN", "hf", "env.HF_TOKEN", "plain")))
        .hasMessageContainingAll("stoker.pools.iris.secrets.HF_TOKEN: hf", "env");
  }

  @Test
  void queue_ofWhichAllTogetherAreNoInt_isRefusedByItsKey() {
    assertThat(pools(Map.of("queue", "2147483646")).getFirst().queue()).isEqualTo(2_147_483_646);
    assertThatThrownBy(() -> pools(Map.of("queue", "2147483647")))
        .hasMessage("stoker.pools.iris.queue: 2147483647, expected 0 to 2147483646");
    assertThatThrownBy(() -> pools(Map.of("queue", "1000000", "max", "100000")))
        .hasMessage("stoker.pools.iris.queue: 1000000, expected 0 to 21473");
    assertThatThrownBy(() -> pools(Map.of("max", "100001")))
        .hasMessage("stoker.pools.iris.max: 100001, expected 0 to 100000");
  }

  @Test
  void variables_ofTheEnvironment_haveTheNamesThatAreWrittenThere() {
    PoolSettings iris =
        pools(
                Map.of("env.http_proxy", "p", "env.HOME", "/file"),
                Map.of(
                    "STOKER_POOLS_IRIS_ENV_MODEL", "resnet",
                    "STOKER_POOLS_IRIS_ENV_MY__VAR", "1",
                    "STOKER_POOLS_IRIS_ENV_HOME", "/environment",
                    "STOKER_POOLS_IRIS_SECRETS_HF_TOKEN", "hf"))
            .getFirst();

    assertThat(iris.env())
        .isEqualTo(
            Map.of("MODEL", "resnet", "MY__VAR", "1", "HOME", "/environment", "http_proxy", "p"));
    assertThat(iris.secrets()).isEqualTo(Map.of("HF_TOKEN", "hf"));
  }

  private static List<PoolSettings> pools(Map<String, String> settings) {
    return pools(settings, Map.of());
  }

  private static List<PoolSettings> pools(
      Map<String, String> settings, Map<String, String> environment) {
    Map<String, String> all = new HashMap<>(Map.of("stoker.pools.iris.command", "worker"));
    settings.forEach((key, value) -> all.put("stoker.pools.iris." + key, value));
    PoolsConfig config =
        new SmallRyeConfigBuilder()
            .addDiscoveredConverters()
            .withMapping(PoolsConfig.class)
            .withSources(
                new PropertiesConfigSource(all, "test", 1), new EnvConfigSource(environment, 300))
            .build()
            .getConfigMapping(PoolsConfig.class);
    return PoolsOf.config(config, Set.of("hf"), environment);
  }
}
