package io.stoker.common.topic;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.stoker.common.schema.Schemas;
import io.stoker.common.topic.Topics.Layout;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/** The published description names every topic, and nothing in it leads nowhere. */
class AsyncApiTest {
  private static final Path FILE = Path.of("../docs/asyncapi.yaml");
  private static final YAMLMapper YAML = new YAMLMapper();
  private static final Topics TOPICS = new Topics(Topics.DEFAULT_PREFIX);

  private final JsonNode document = read(FILE);

  @Test
  void describesExactlyTheTopicsThereAre() throws Exception {
    List<String> topics = new ArrayList<>();
    for (Method method : Topics.class.getDeclaredMethods()) {
      boolean named = method.getReturnType() == String.class;
      if (named && !Set.of("toString", "prefix").contains(method.getName())) {
        String parameter = method.getName().equals("placements") ? "{host}" : "{queue}";
        Object[] given = Stream.of(parameter).limit(method.getParameterCount()).toArray();
        topics.add((String) method.invoke(TOPICS, given));
      }
    }
    assertThat(topics).hasSizeGreaterThanOrEqualTo(9);
    assertThat(channels().keySet()).containsExactlyInAnyOrderElementsOf(topics);
  }

  @Test
  void saysWhichTopicsAreCompacted() {
    List<Layout> layouts = new ArrayList<>(TOPICS.layouts(List.of("{queue}")));
    layouts.add(TOPICS.placementsLayout("{host}"));
    layouts.add(TOPICS.statusLayout("{queue}"));
    assertThat(channels()).hasSameSizeAs(layouts);
    for (Layout layout : layouts) {
      JsonNode channel = channels().get(layout.name());
      JsonNode settings = channel.at("/bindings/kafka/topicConfiguration");
      assertThat(settings.path("cleanup.policy").path(0).asText("delete"))
          .as(layout.name())
          .isEqualTo(layout.settings().getOrDefault("cleanup.policy", "delete"));
    }
  }

  @Test
  void everyReferenceResolves() {
    List<String> references = references();
    assertThat(references).isNotEmpty();
    for (String reference : references) {
      boolean within = reference.startsWith("#");
      JsonNode target =
          within ? document.at(reference.substring(1)) : read(FILE.resolveSibling(reference));
      assertThat(target.isObject()).as(reference).isTrue();
    }
  }

  @Test
  void refersToEverySchema() {
    Set<String> files =
        references().stream()
            .filter(reference -> !reference.startsWith("#"))
            .map(reference -> Path.of(reference).getFileName().toString())
            .collect(Collectors.toSet());
    assertThat(files)
        .containsExactlyInAnyOrderElementsOf(
            Schemas.NAMES.stream().map(name -> name + ".json").toList());
  }

  @Test
  void everyChannelHasAnOperationAndEveryMessageAChannel() {
    assertThat(document.path("asyncapi").asText()).isEqualTo("3.0.0");
    Set<String> operated =
        stream(document.path("operations"))
            .map(operation -> operation.at("/channel/$ref").asText())
            .map(reference -> reference.replace("#/channels/", ""))
            .collect(Collectors.toSet());
    assertThat(operated).isEqualTo(names(document.path("channels")));
    Set<String> carried =
        stream(document.path("channels"))
            .flatMap(channel -> stream(channel.path("messages")))
            .map(message -> message.path("$ref").asText().replace("#/components/messages/", ""))
            .collect(Collectors.toSet());
    assertThat(carried).isEqualTo(names(document.at("/components/messages")));
  }

  /** Dispatchers put these on all that they post for somebody who called them with a token. */
  @Test
  void saysWhoHasSentWhatCameByRest() {
    for (String message : List.of("request", "requests", "control")) {
      JsonNode headers = document.at("/components/messages/" + message + "/headers/properties");
      assertThat(names(headers)).as(message).contains("stoker-sent-by", "stoker-sent-by-proof");
    }
  }

  private Map<String, JsonNode> channels() {
    Map<String, JsonNode> byAddress = new HashMap<>();
    for (JsonNode channel : document.path("channels")) {
      byAddress.put(channel.path("address").asText(), channel);
    }
    return byAddress;
  }

  private List<String> references() {
    return document.findValuesAsText("$ref");
  }

  private static Stream<JsonNode> stream(JsonNode node) {
    return StreamSupport.stream(node.spliterator(), false);
  }

  private static Set<String> names(JsonNode object) {
    return object.properties().stream().map(Map.Entry::getKey).collect(Collectors.toSet());
  }

  private static JsonNode read(Path file) {
    try {
      return YAML.readTree(file.toFile());
    } catch (IOException e) {
      throw new IllegalStateException(file + " is not readable", e);
    }
  }
}
