package io.stoker.agent.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.stoker.agent.config.SecretConfig;
import io.stoker.agent.secret.HostSecrets;
import io.stoker.common.message.Workload.Claim;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Secrets of a host, as configured; systemd's credentials among them. */
class SecretsOfTest {
  private static final String CREDENTIALS = "CREDENTIALS_DIRECTORY";

  @TempDir Path folder;

  @Test
  void credential_isReadWhereSystemdPutsIt_wheneverAJobStarts() throws IOException {
    HostSecrets secrets =
        secrets(Map.of("hf.credential", "hf-token"), Map.of(CREDENTIALS, folder.toString()));
    Files.writeString(folder.resolve("hf-token"), "s3cr3t-1\n");
    assertThat(secrets.of("a-1", asking("lab"))).containsExactly(Map.entry("TOKEN", "s3cr3t-1"));

    Files.writeString(folder.resolve("hf-token"), "s3cr3t-2");
    assertThat(secrets.of("a-1", asking("lab"))).containsExactly(Map.entry("TOKEN", "s3cr3t-2"));
  }

  @Test
  void credential_thatIsGone_failsTheJobByTheNameOfItsFile() {
    HostSecrets secrets =
        secrets(Map.of("hf.credential", "hf-token"), Map.of(CREDENTIALS, folder.toString()));

    assertThatThrownBy(() -> secrets.of("a-1", asking("lab")))
        .isInstanceOf(IOException.class)
        .hasMessage(
            "env.TOKEN asks for secret hf, which cannot be read: there is no %s",
            folder.resolve("hf-token"));
  }

  @Test
  void credential_ofAnotherQueue_isNotGiven() throws IOException {
    Files.writeString(folder.resolve("hf-token"), "s3cr3t-1");
    HostSecrets secrets =
        secrets(Map.of("hf.credential", "hf-token"), Map.of(CREDENTIALS, folder.toString()));

    assertThatThrownBy(() -> secrets.of("a-1", asking("other")))
        .hasMessageContainingAll("queue other", "stoker.agent.secrets.hf.queues")
        .hasMessageNotContaining("s3cr3t");
  }

  @Test
  void credential_withoutSystemd_isRefusedByItsKey() {
    assertThatThrownBy(() -> secrets(Map.of("hf.credential", "hf-token"), Map.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll(
            "stoker.agent.secrets.hf.credential is hf-token", "LoadCredential=");
  }

  @ParameterizedTest
  @CsvSource({
    "hf,   credential, file",
    "hf,   credential, command",
    "hf,   refresh,    queues",
    "a.b,  file,       queues",
  })
  void secret_ofNotOneSource_orOfAWrongName_isRefusedByItsKey(
      String name, String one, String another) {
    String quoted = "\"%s\".".formatted(name);
    assertThatThrownBy(
            () ->
                secrets(
                    Map.of(quoted + one, "5m", quoted + another, "5m"),
                    Map.of(CREDENTIALS, folder.toString())))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll(
            "stoker.agent.secrets." + name + ": expected", "one of file, credential and command");
  }

  private static Claim asking(String queue) {
    return new Claim(
        Optional.empty(), Optional.of(queue), Optional.empty(), Map.of("TOKEN", "hf"), false);
  }

  /** The part of the agent's settings that is looked at. */
  @ConfigMapping(prefix = "stoker.agent")
  interface Settings {
    Map<String, SecretConfig> secrets();
  }

  private static HostSecrets secrets(
      Map<String, String> settings, Map<String, String> environment) {
    Map<String, String> all = new HashMap<>();
    settings.forEach((key, value) -> all.put("stoker.agent.secrets." + key, value));
    settings.keySet().stream()
        .map(key -> "stoker.agent.secrets." + key.substring(0, key.lastIndexOf('.')) + ".queues")
        .forEach(key -> all.putIfAbsent(key, "lab"));
    Settings config =
        new SmallRyeConfigBuilder()
            .addDiscoveredConverters()
            .withMapping(Settings.class)
            .withSources(new PropertiesConfigSource(all, "test", 1))
            .build()
            .getConfigMapping(Settings.class);
    return SecretsOf.config(config.secrets(), environment);
  }
}
