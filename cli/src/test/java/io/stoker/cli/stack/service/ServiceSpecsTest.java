package io.stoker.cli.stack.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoker.cli.local.DataFolder;
import io.stoker.cli.local.Home;
import io.stoker.cli.local.HostKey;
import io.stoker.cli.outcome.CliException;
import io.stoker.cli.stack.child.ChildSpec;
import io.stoker.cli.stack.child.StackEnvironment;
import io.stoker.cli.stack.postgres.Database;
import java.io.IOException;
import java.io.Reader;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServiceSpecsTest {
  private static final String SECRET = "00ff";
  private static final Backends BACKENDS =
      new Backends("127.0.0.1:1", new Database(2, "pw", "db"), "redis://127.0.0.1:3", "rpw");

  @TempDir Path folder;

  @Test
  void aDispatcherIsToldWhereEverythingIs() throws IOException {
    built("dispatcher/service");

    ChildSpec dispatcher = specs().dispatcher("dispatcher-1", 8080, Map.of());

    assertThat(dispatcher.environment())
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                "STOKER_KAFKA_BOOTSTRAP_SERVERS", "127.0.0.1:1",
                "STOKER_TOPICS_PREFIX", "stoker.",
                "STOKER_POSTGRES_URL", "postgresql://127.0.0.1:2/db",
                "STOKER_POSTGRES_USER", "stoker",
                "STOKER_REDIS_URL", "redis://127.0.0.1:3",
                "STOKER_HTTP_PORT", "8080",
                "QUARKUS_HTTP_HOST", "127.0.0.1",
                "STOKER_REPLICA", "dispatcher-1"));
    assertThat(settings(dispatcher, "secrets"))
        .containsEntry("stoker.host-secret", SECRET)
        .containsEntry("stoker.postgres.password", "pw");
  }

  @Test
  void whatADispatcherIsGivenBesidesWins() throws IOException {
    built("dispatcher/service");

    ChildSpec dispatcher =
        specs()
            .dispatcher(
                "dispatcher-1",
                8080,
                Map.of("STOKER_LEASE_DURATION", "6s", "STOKER_HTTP_PORT", "8081"));

    assertThat(dispatcher.environment())
        .containsEntry("STOKER_LEASE_DURATION", "6s")
        .containsEntry("STOKER_HTTP_PORT", "8081");
  }

  @Test
  void anAgentHasItsOwnKeyAndNotTheSecret() throws IOException {
    built("gpu-agent/service");

    ChildSpec agent = specs().agent("host-2", Map.of("STOKER_AGENT_CPU_SLOTS", "8"));

    assertThat(agent.environment())
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                "STOKER_KAFKA_BOOTSTRAP_SERVERS", "127.0.0.1:1",
                "STOKER_TOPICS_PREFIX", "stoker.",
                "STOKER_AGENT_HOST", "host-2",
                "STOKER_AGENT_ADDRESS", "127.0.0.1",
                "STOKER_AGENT_DATA", folder.resolve("data/agents/host-2").toString(),
                "STOKER_AGENT_ON_STOP", "end",
                "STOKER_AGENT_CPU_SLOTS", "8"));
    Path key = folder.resolve("data/keys/host-2");
    assertThat(settings(agent, "secrets"))
        .containsEntry("stoker.agent.key-file", key.toString())
        .doesNotContainValue(SECRET);
    assertThat(key).hasContent(HostKey.derive(SECRET, "host-2"));
    HostKey.give(new DataFolder(folder.resolve("data")), "host-2", SECRET, 1);
    specs().agent("host-2", Map.of());
    assertThat(key).as("a rotated one").hasContent(HostKey.derive(SECRET, "host-2", 1));
  }

  @Test
  void whatIsNotBuiltIsNamed() {
    assertThatThrownBy(() -> specs().dispatcher("dispatcher-1", 8080, Map.of()))
        .isInstanceOf(CliException.class)
        .hasMessageContaining("dispatcher is not built")
        .hasMessageContaining("mvnw");
  }

  @Test
  void theStacksOwnSettingsAreAllNamed() throws IOException {
    built("dispatcher/service");
    built("gpu-agent/service");

    assertThat(StackEnvironment.OWN)
        .containsAll(specs().dispatcher("d", 1, Map.of()).environment().keySet())
        .containsAll(specs().agent("h", Map.of()).environment().keySet());
  }

  @Test
  void eachIsGivenTheSettingsThatAreForIt() throws IOException {
    built("dispatcher/service");
    built("gpu-agent/service");
    ServiceSpecs specs =
        specs(
            Map.of(
                "stoker.lease.duration", "6s",
                "stoker.agent.cpu-slots", "8",
                "stoker.agent.labels.rack", "b=\\2",
                "stoker.queues.night.weight", "3",
                "quarkus.log.level", "DEBUG"));

    assertThat(settings(specs.dispatcher("dispatcher-1", 8080, Map.of()), "settings"))
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                "config_ordinal", "290",
                "stoker.lease.duration", "6s",
                "stoker.queues.night.weight", "3",
                "quarkus.log.level", "DEBUG"));
    assertThat(settings(specs.agent("host-1", Map.of()), "settings"))
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                "config_ordinal", "290",
                "stoker.agent.cpu-slots", "8",
                "stoker.agent.labels.rack", "b=\\2",
                "quarkus.log.level", "DEBUG"));
  }

  @Test
  void whateverTheDataFolderIsCalled_itsFilesAreFound() throws IOException {
    built("dispatcher/service");
    DataFolder data = new DataFolder(folder.resolve("my data, 100%#1 ${x}"));
    Map<String, String> some = Map.of("stoker.lease.duration", "6s");

    ChildSpec dispatcher =
        new ServiceSpecs(new Home(folder), data, BACKENDS, SECRET, some)
            .dispatcher("dispatcher-1", 8080, Map.of());

    assertThat(settings(dispatcher, "secrets")).containsEntry("stoker.host-secret", SECRET);
    assertThat(settings(dispatcher, "settings")).containsAllEntriesOf(some);
    assertThat(dispatcher.command()).noneMatch(word -> word.contains("$"));
  }

  private static Map<String, String> settings(ChildSpec service, String which) throws IOException {
    String flag = "-Dquarkus.config.locations=";
    Path file =
        service.command().stream()
            .filter(word -> word.startsWith(flag))
            .flatMap(word -> Stream.of(word.substring(flag.length()).split(",")))
            .map(location -> Path.of(URI.create(location)))
            .filter(path -> path.endsWith(which + ".properties"))
            .findFirst()
            .orElseThrow();
    assertThat(Files.getPosixFilePermissions(file))
        .containsExactlyInAnyOrder(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);
    Properties read = new Properties();
    try (Reader from = Files.newBufferedReader(file)) {
      read.load(from);
    }
    Map<String, String> settings = new HashMap<>();
    read.forEach((key, value) -> settings.put(key.toString(), value.toString()));
    return settings;
  }

  private ServiceSpecs specs() {
    return specs(Map.of());
  }

  private ServiceSpecs specs(Map<String, String> settings) {
    return new ServiceSpecs(
        new Home(folder), new DataFolder(folder.resolve("data")), BACKENDS, SECRET, settings);
  }

  private void built(String module) throws IOException {
    Path app = Files.createDirectories(folder.resolve(module).resolve("target/quarkus-app"));
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    new JarOutputStream(Files.newOutputStream(app.resolve("quarkus-run.jar")), manifest).close();
  }
}
