package io.stoker.dispatcher.service.protocol;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.test.junit.QuarkusTest;
import io.stoker.common.json.Json;
import io.stoker.common.message.ControlMessage;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.scenario.ARequest;
import io.stoker.dispatcher.service.testing.OnRealServices;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the database does not take holds up nothing that came with it. */
@QuarkusTest
@OnRealServices
class DatabaseRefusesTest {
  private static final int BESIDE = 11;

  private final String bad = Site.unique("bad");
  private Site site;

  /** Its row is refused, whatever is to be written into it. */
  @BeforeEach
  void refuse() throws SQLException {
    site = new Site();
    change(
        "create function refuse_bad() returns trigger language plpgsql as $$ begin raise exception"
            + " 'this one is not taken' using errcode = 'data_exception'; end $$");
    change(
        "create trigger refuse_bad before insert or update on request for each row when (new.id ="
            + " '%s') execute function refuse_bad()".formatted(bad));
  }

  @AfterEach
  void takeAll() throws SQLException {
    change("drop trigger refuse_bad on request");
    change("drop function refuse_bad()");
    site.close();
  }

  private void change(String sql) throws SQLException {
    try (Connection connection = site.database()) {
      Site.update(connection, sql);
    }
  }

  private List<String> others() {
    return IntStream.range(0, BESIDE).mapToObj(i -> Site.unique("beside")).toList();
  }

  @Test
  void cancelsThatCameWithItHaveTheirEffect() {
    List<String> others = others();
    others.forEach(id -> site.post(nowhere(id)));
    site.statuses().await(others.getLast(), RequestState.QUEUED);

    List<byte[]> messages = new ArrayList<>(others.stream().map(this::cancel).toList());
    messages.add(BESIDE / 2, cancel(bad));
    List<RecordMetadata> sent = site.sendTogether(site.topics().control(), messages);

    for (String id : others) {
      assertThat(site.statuses().await(id, RequestState.CANCELLED).reason()).isEqualTo("no " + id);
    }
    assertThat(site.deadLetterReason(sent.get(BESIDE / 2)))
        .startsWith("the database refuses it")
        .contains("this one is not taken");
  }

  @Test
  void requestsThatCameWithItAreAccepted() {
    List<String> others = others();
    List<byte[]> requests =
        new ArrayList<>(others.stream().map(id -> utf8(nowhere(id).json())).toList());
    requests.add(BESIDE / 2, utf8(nowhere(bad).json()));
    List<RecordMetadata> sent = site.sendTogether(site.topics().requests(), requests);

    others.forEach(id -> site.statuses().await(id, RequestState.QUEUED));
    assertThat(site.statuses().await(bad, RequestState.REJECTED).reason())
        .contains("this one is not taken");
    assertThat(site.deadLetterReason(sent.get(BESIDE / 2))).startsWith("the database refuses it");
  }

  private byte[] cancel(String id) {
    return Json.bytes(new ControlMessage.Cancel(Site.unique("m"), id, "no " + id));
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** A request that no host of any test serves. */
  private static ARequest nowhere(String id) {
    return aRequest(id).resource("require", Map.of("only", "nowhere"));
  }
}
