package io.stoker.common.message;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostMessageTest {
  private static final String HELLO =
      "{'type':'hello','host':'h','held':[],'resources':{'devices':[],'cpuSlots':1}}";
  private static final String BEAT =
      "{'type':'heartbeat','host':'h','held':[],'reserved':{'gpus':0,'cpuSlots':0}}";

  @Test
  void lacksSomething_ofWhatIsThere_isFalse() throws MalformedJson {
    assertThat(read(HELLO).lacksSomething()).isFalse();
    assertThat(read(BEAT).lacksSomething()).isFalse();
    assertThat(
            read(HELLO.replace("'devices':[]", "'devices':[],'runners':[{'runner':'cpu'}]"))
                .lacksSomething())
        .isFalse();
  }

  /** Passes go by it: nothing could be placed on any host of the fleet. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "'cpuSlots':1",
        "'devices':null",
        "'devices':[null]",
        "'devices':[],'pools':[null]",
        "'devices':[],'pools':[{}]",
        "'devices':[],'runners':[{}]",
        "'devices':[],'runners':[null]",
        "'devices':[],'runners':[{'runner':'ssh','machines':[null]}]",
        "'devices':[],'runners':[{'runner':'ssh','machines':[{}]}]",
        "'devices':[],'runners':[{'runner':'ssh','machines':[{'gpus':[null]}]}]",
        "'devices':[],'users':[null]",
        "'devices':[],'answers':[null]"
      })
  void lacksSomething_ofResourcesWithAHole_isTrue(String resources) throws MalformedJson {
    String hello = HELLO.replace("'devices':[],'cpuSlots':1", resources);

    assertThat(read(hello).lacksSomething()).isTrue();
    assertThat(read(hello.replace("'hello'", "'inventory'")).lacksSomething()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "'held':[null]",
        "'held':[{'attempt':1}]",
        "'held':[],'telemetry':[null]",
        "'held':[],'telemetry':[{}]",
        "'held':[],'pools':[null]",
        "'held':[],'runners':[null]"
      })
  void lacksSomething_ofAHeartbeatWithAHole_isTrue(String held) throws MalformedJson {
    assertThat(read(BEAT.replace("'held':[]", held)).lacksSomething()).isTrue();
  }

  private static HostMessage read(String message) throws MalformedJson {
    return Json.read(
        message.replace('\'', '"').getBytes(StandardCharsets.UTF_8), HostMessage.class);
  }
}
