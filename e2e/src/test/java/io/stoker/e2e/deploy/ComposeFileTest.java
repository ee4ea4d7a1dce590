package io.stoker.e2e.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion.VersionFlag;
import io.stoker.e2e.Checkout;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** docker-compose.yml is a valid Compose file, and whole in itself. */
class ComposeFileTest {
  private final ComposeFile compose = ComposeFile.read();

  @Test
  void isValid() throws IOException {
    assertThat(schema().validate(compose.tree())).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "services: {a: {image: x:1, enviroment: {}}}",
        "services: {a: {image: x:1, environment: {A: [1]}}}",
        "services: {a: {image: x:1, healthcheck: {test: 5}}}",
        "services: {a: {image: x:1, depends_on: {b: {condition: service_ready}}}}",
        "services: {a: {image: x:1, depends_on: {b: {}}}}",
        "services: {'a b': {image: x:1}}",
        "services: {a: {image: x:1, deploy: {resources: {reservations: {devices: [{count: 1}]}}}}}",
        "service: {}"
      })
  void theSchemaRefusesMistakes(String mistaken) throws IOException {
    assertThat(schema().validate(new YAMLMapper().readTree(mistaken))).isNotEmpty();
  }

  @Test
  void pinsEveryImage() {
    compose
        .services()
        .forEach(
            (name, service) ->
                assertThat(service.path("image").asText())
                    .as("image of %s", name)
                    .matches("[a-z0-9./-]+:[0-9]+\\.[0-9]+[A-Za-z0-9._-]*"));
  }

  @Test
  void waitsOnlyForWhatIsThereAndTellsItsHealth() {
    Map<String, JsonNode> services = compose.services();
    services.forEach(
        (name, service) ->
            service
                .path("depends_on")
                .properties()
                .forEach(
                    on -> {
                      assertThat(services).as("%s waits for", name).containsKey(on.getKey());
                      if (on.getValue().get("condition").asText().equals("service_healthy")) {
                        assertThat(services.get(on.getKey()).has("healthcheck"))
                            .as("%s waits for the health of %s", name, on.getKey())
                            .isTrue();
                      }
                    }));
    assertThat(List.of("kafka", "postgres", "redis", "dispatcher"))
        .allSatisfy(name -> assertThat(services.get(name).has("healthcheck")).isTrue());
  }

  @Test
  void declaresTheVolumesThatItUses() {
    Set<String> used = new HashSet<>();
    for (JsonNode service : compose.services().values()) {
      service.path("volumes").forEach(volume -> used.add(volume.asText().split(":")[0]));
    }
    List<String> declared = new ArrayList<>();
    compose.tree().get("volumes").fieldNames().forEachRemaining(declared::add);
    assertThat(declared).containsExactlyInAnyOrderElementsOf(used);
  }

  @Test
  void buildsFromDockerfilesThatAreThere() {
    for (JsonNode service : compose.services().values()) {
      if (service.has("build")) {
        assertThat(Checkout.root().resolve(service.get("build").get("dockerfile").asText()))
            .isRegularFile();
      }
    }
  }

  @Test
  void theDispatcherCanWriteNothingButMemory() {
    JsonNode dispatcher = compose.services().get("dispatcher");
    assertThat(dispatcher.get("read_only").asBoolean()).isTrue();
    assertThat(dispatcher.get("volumes"))
        .allSatisfy(volume -> assertThat(volume.asText()).endsWith(":ro"));
  }

  /** Of a file that its first start makes, and that later ones leave as it is. */
  @Test
  void theDispatcherTakesTokensAlone() {
    JsonNode dispatcher = compose.services().get("dispatcher");
    JsonNode environment = dispatcher.get("environment");
    assertThat(environment.has("STOKER_HTTP_OPEN")).isFalse();
    String file = environment.get("STOKER_HTTP_TOKENS_FILE").asText();
    assertThat(dispatcher.at("/depends_on/token/condition").asText())
        .isEqualTo("service_completed_successfully");
    JsonNode token = compose.services().get("token");
    List<String> command = new ArrayList<>();
    token.get("command").forEach(word -> command.add(word.asText()));
    assertThat(command)
        .startsWith("token", "create")
        .endsWith("--file", file, "--if-missing")
        .doesNotContain("--queue");
    String mounted = token.at("/volumes/0").asText();
    assertThat(file).startsWith(mounted.split(":")[1] + "/");
    assertThat(dispatcher.at("/volumes/0").asText()).isEqualTo(mounted + ":ro");
  }

  @Test
  void theDispatchersHealthIsAskedAtItsManagementPort() {
    JsonNode dispatcher = compose.services().get("dispatcher");
    String port = dispatcher.at("/environment/STOKER_HTTP_MANAGEMENT_PORT").asText();
    assertThat(port).isNotEqualTo(dispatcher.at("/environment/STOKER_HTTP_PORT").asText());
    assertThat(dispatcher.at("/healthcheck/test").toString())
        .contains("/dev/tcp/127.0.0.1/" + port + " ");
    assertThat(dispatcher.get("ports"))
        .allSatisfy(published -> assertThat(published.asText()).startsWith("127.0.0.1:"));
  }

  @Test
  void agentsShareTheHostsPids() {
    for (String agent : List.of("agent", "agent-gpu")) {
      assertThat(compose.services().get(agent).get("pid").asText()).isEqualTo("host");
    }
  }

  private static JsonSchema schema() throws IOException {
    try (InputStream stream = ComposeFileTest.class.getResourceAsStream("compose-schema.json")) {
      return JsonSchemaFactory.getInstance(VersionFlag.V7).getSchema(stream);
    }
  }
}
