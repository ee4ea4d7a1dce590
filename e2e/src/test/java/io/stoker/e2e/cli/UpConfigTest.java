package io.stoker.e2e.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stoker.cli.stack.TemporaryData;
import io.stoker.common.json.Json;
import io.stoker.e2e.cli.Stoker.Ended;
import io.stoker.e2e.stack.BesideTheSharedStack;
import io.stoker.e2e.stack.StatusLog;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code stoker up --config} with the services that were built. */
@Timeout(1_200)
@BesideTheSharedStack
@Order(3)
class UpConfigTest {
  @TempDir Path folder;

  @Test
  void settingsReachTheServicesAndAreKept() throws Exception {
    try (TemporaryData data = TemporaryData.create("stoker-config")) {
      Stoker stoker = new Stoker(data.folder().root(), folder);
      Path config = folder.resolve("my.properties");
      try {
        Ended first =
            up(
                stoker,
                config,
                """
                stoker.agent.cpu-slots=7
                stoker.agent.nvml-library=libabsent.so.1
                stoker.queues.night.weight=3
                stoker.mail.password=very-secret
                """);
        assertThat(first.exitCode()).as(first.err()).isZero();
        assertThatTheyHold(stoker, "7");
        assertThatATopicOfAnEarlierBuildIsToldOfAndMended(stoker);
        assertThat(stoker.run("down").exitCode()).isZero();

        Ended again = stoker.run("up", "--detach");
        assertThat(again.exitCode()).as(again.err()).isZero();
        assertThat(again.err())
            .contains("settings as at the last start, 4 of " + config.toRealPath())
            .doesNotContain("changed since");
        assertThatTheyHold(stoker, "7");
        assertThat(stoker.run("down").exitCode()).isZero();

        Ended bad = up(stoker, config, "# a comment\nstoker.agent.cpu-slots=seven\n");
        assertThat(bad.exitCode()).isEqualTo(1);
        assertThat(bad.err())
            .contains(config + " line 2: stoker.agent.cpu-slots is seven")
            .contains("agent-host-1 does not take its settings", "cannot start: ")
            .doesNotContain("\tat ");

        Ended changed =
            up(
                stoker,
                config,
                """
                stoker.agent.cpu-slots=5
                stoker.agent.nvml-library=libabsent.so.1
                stoker.queues.night.weight=3
                stoker.mail.password=other-secret
                """);
        assertThat(changed.exitCode()).as(changed.err()).isZero();
        assertThat(changed.err())
            .contains(
                "changed since the last start: stoker.agent.cpu-slots: 7 → 5",
                "changed since the last start: stoker.mail.password: (hidden) → (hidden)")
            .doesNotContain("secret", "queues");
        assertThatTheyHold(stoker, "5");
      } finally {
        stoker.run("down");
      }
    }
  }

  /** Of a queue, as the main ones are. */
  private static void assertThatATopicOfAnEarlierBuildIsToldOfAndMended(Stoker stoker)
      throws Exception {
    String topic = "stoker.requests.night";
    String bootstrap = Json.read(stoker.run("info", "--json").out()).path("bootstrap").asText();
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
      AlterConfigOp zipped =
          new AlterConfigOp(
              new ConfigEntry("compression.type", "producer"), AlterConfigOp.OpType.SET);
      ConfigResource night = new ConfigResource(ConfigResource.Type.TOPIC, topic);
      admin.incrementalAlterConfigs(Map.of(night, List.of(zipped))).all().get();
    }
    String told = "take zipped records, however large they are unzipped: " + topic;
    // The controller has it before the broker that is asked.
    await()
        .atMost(StatusLog.PATIENCE)
        .untilAsserted(() -> assertThat(stoker.run("doctor").out()).contains(told));
    assertThat(stoker.run("topics", "create").out())
        .isEqualTo(topic + ": compression.type is uncompressed now, and was producer\n");
    await()
        .atMost(StatusLog.PATIENCE)
        .untilAsserted(
            () ->
                assertThat(stoker.run("doctor").out())
                    .contains("topics: all 9")
                    .doesNotContain(told));
  }

  private static Ended up(Stoker stoker, Path config, String settings) throws Exception {
    Files.writeString(config, settings);
    return stoker.run("up", "--detach", "--config", config.toString());
  }

  private static void assertThatTheyHold(Stoker stoker, String slots) throws Exception {
    // Until the agent of this start is heard, the host may be shown as the last one left it.
    await()
        .atMost(StatusLog.PATIENCE)
        .ignoreExceptions()
        .untilAsserted(
            () ->
                assertThat(Json.read(stoker.run("hosts", "--json").out()).at("/resources/cpuSlots"))
                    .hasToString(slots));
    assertThat(stoker.run("queues").out()).contains("night");
    assertThat(stoker.run("topics", "create", "--queue", "night", "--json").out())
        .as("made by up, for a queue in its settings has a topic of its own")
        .isEmpty();
    assertThat(stoker.run("hosts", "-o", "name").out()).isEqualTo("host-1\n");
  }
}
