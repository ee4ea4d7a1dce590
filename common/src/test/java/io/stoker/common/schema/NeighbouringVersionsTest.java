package io.stoker.common.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.EventsRecord;
import io.stoker.common.message.PlacementsRecord;
import io.stoker.common.message.ToAgent;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/**
 * What one version says and its neighbour hears. That added fields are ignored, of every message,
 * is {@link GoldenMessagesTest}'s.
 */
class NeighbouringVersionsTest {

  @Test
  void anAgentTakesWhatItKnowsOfARecordAndLeavesOutTheRest() throws MalformedJson {
    PlacementsRecord read =
        placements(
            """
            {"v":1,"host":"h","epoch":7,"messages":[
              {"type":"forget","job":"a","attempt":1},
              {"type":"fromTheFuture","job":"a","speed":{"of":"light"}},
              {"type":"cancel","job":"b","attempt":2,"reason":"r"}]}
            """);

    assertThat(read.known().messages())
        .containsExactly(new ToAgent.Forget("a", 1), new ToAgent.Cancel("b", 2, "r"));
    assertThat(read.known().epoch()).isEqualTo(7);
  }

  @Test
  void aRecordThatIsKnownAsAWholeIsLeftAsItIs() throws MalformedJson {
    PlacementsRecord read =
        placements(
            """
            {"v":1,"host":"h","epoch":7,"messages":[{"type":"forget","job":"a","attempt":1}]}
            """);

    assertThat(read.known()).isSameAs(read);
  }

  @Test
  void aCategoryAndAWarningOfALaterAgentAreReadAsNone() throws MalformedJson {
    AttemptEvent event =
        event(
            """
            {"job":"a","attempt":1,"seq":2,"type":"ENDED","at":1,"outcome":"FAILED",
             "category":"BORED","warning":"TOO_LOUD","message":"m"}
            """);

    assertThat(event.category()).isNull();
    assertThat(event.warning()).isNull();
    assertThat(event.message()).isEqualTo("m");
  }

  @Test
  void aWarningOfAFormerAgentSaysNotOfWhat() throws MalformedJson {
    AttemptEvent event =
        event(
            "{\"job\":\"a\",\"attempt\":1,\"seq\":2,\"type\":\"PROGRESS\",\"at\":1,\"message\":\"m\"}");

    assertThat(event.warning()).isNull();
    assertThat(Json.text(event)).doesNotContain("warning");
  }

  private static PlacementsRecord placements(String json) throws MalformedJson {
    return Json.read(json.getBytes(StandardCharsets.UTF_8), PlacementsRecord.class);
  }

  private static AttemptEvent event(String json) throws MalformedJson {
    String record = "{\"v\":1,\"host\":\"h\",\"epoch\":7,\"events\":[" + json + "]}";
    return Json.read(record.getBytes(StandardCharsets.UTF_8), EventsRecord.class)
        .events()
        .getFirst();
  }
}
