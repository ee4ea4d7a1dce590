package io.stoker.dispatcher.service.protocol;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.test.junit.QuarkusTest;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.service.testing.OnRealServices;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An array of requests in one record: each is accepted or refused by itself, in its order. */
@QuarkusTest
@OnRealServices
class SeveralInARecordTest extends WithSite {
  private final String run = Site.unique("several");

  @Test
  void eachBadOneIsADeadLetterOfItsOwnAndTheOthersAreAccepted() {
    List<byte[]> elements = new ArrayList<>();
    List<Integer> bad = new ArrayList<>();
    for (BadRecordsTest.Bad one : BadRecordsTest.Bad.values()) {
      boolean breaksTheArray =
          one == BadRecordsTest.Bad.TRUNCATED || one == BadRecordsTest.Bad.TEN_MB;
      if (!breaksTheArray) {
        elements.add(nowhere(run + "-good-" + one));
        bad.add(elements.size());
        elements.add(utf8(one.json().replace("ID", run + "-" + one)));
      }
    }
    byte[] notUtf8 = utf8("{\"id\":\"x\",\"command\":[\"?\"]}");
    notUtf8[notUtf8.length - 4] = (byte) 0xff;
    bad.add(elements.size());
    elements.add(notUtf8);
    elements.add(nowhere(run + "-last"));

    RecordMetadata sent = site.post(array(elements), Map.of());

    site.statuses().await(run + "-last", RequestState.QUEUED);
    for (BadRecordsTest.Bad one : BadRecordsTest.Bad.values()) {
      if (one != BadRecordsTest.Bad.TRUNCATED && one != BadRecordsTest.Bad.TEN_MB) {
        site.statuses().await(run + "-good-" + one, RequestState.QUEUED);
        if (one.tellsItsId()) {
          RequestStatus status = site.statuses().await(run + "-" + one, RequestState.REJECTED);
          assertThat(status.reason()).contains(one.about()).startsWith("requests[");
        }
      }
    }
    for (int index : bad) {
      ConsumerRecord<byte[], byte[]> letter = site.deadLetter(sent, index);
      assertThat(letter.value()).isEqualTo(elements.get(index));
      assertThat(TopicLog.header(letter, "stoker-reason")).startsWith("requests[" + index + "]: ");
    }
    assertThat(indexesOf(sent))
        .containsExactlyInAnyOrderElementsOf(bad.stream().map(String::valueOf).toList());
  }

  @Test
  void theirPlaceInTheArrayIsTheirPlaceInLine() throws Exception {
    List<String> ids = IntStream.range(0, 500).mapToObj(i -> run + "-" + i).toList();

    site.post(array(ids.stream().map(SeveralInARecordTest::nowhere).toList()), Map.of());
    site.statuses().await(ids.getLast(), RequestState.QUEUED);

    assertThat(site.query("select id from request where id like ? order by seq", run + "-%"))
        .isEqualTo(ids);
  }

  @Test
  void anIdThatComesAgainIsTheSameRequestOrADeadLetter() {
    String id = run + "-twice";
    // Not in line, where it may be said meanwhile that nobody serves it.
    byte[] first = utf8(aRequest(id).dependsOn(run + "-never").json());
    byte[] other = utf8(aRequest(id).meaning("other").json());
    byte[] after = nowhere(run + "-after");

    RecordMetadata sent = site.post(array(List.of(first, first, other, after)), Map.of());

    RequestStatus status = site.statuses().await(id, RequestState.WAITING);
    site.statuses().await(run + "-after", RequestState.QUEUED);
    ConsumerRecord<byte[], byte[]> letter = site.deadLetter(sent, 2);
    assertThat(letter.value()).isEqualTo(other);
    assertThat(TopicLog.header(letter, "stoker-reason"))
        .isEqualTo("requests[2]: id: %s belongs to an accepted request with other content", id);
    assertThat(indexesOf(sent)).containsExactly("2");

    site.post(array(List.of(first, after)), Map.of());
    String later = run + "-later";
    site.post(nowhere(later), Map.of());
    site.statuses().await(later, RequestState.QUEUED);
    assertThat(site.statuses().of(id).getLast().version()).isEqualTo(status.version());
  }

  @Test
  void thoseThatWouldWaitForEachOtherAreToldWhich() {
    byte[] a = utf8(aRequest(run + "-a").dependsOn(run + "-b").json());
    byte[] b = utf8(aRequest(run + "-b").dependsOn(run + "-a").json());

    RecordMetadata sent = site.post(array(List.of(a, b)), Map.of());

    RequestStatus refused = site.statuses().await(run + "-b", RequestState.REJECTED);
    assertThat(refused.code()).isEqualTo(Code.DEPENDENCY_CYCLE);
    assertThat(refused.reason()).startsWith("requests[1]: dependsOn: ");
    assertThat(site.deadLetter(sent, 1).value()).isEqualTo(b);
  }

  @ParameterizedTest
  @ValueSource(strings = {"[]", "[%s", "[%s]]", "[%s}]", "[%s] []"})
  void whatCannotBeCutIsOneDeadLetter(String form) {
    byte[] value =
        utf8(form.formatted(new String(nowhere(run + "-in-it"), StandardCharsets.UTF_8)));
    refusedAsAWhole(value, Map.of(), "an array of 1 to 500");
  }

  @Test
  void moreThan500AreOneDeadLetter() {
    List<byte[]> many =
        IntStream.range(0, 501).mapToObj(i -> nowhere(run + "-in-it-" + i)).toList();
    refusedAsAWhole(array(many), Map.of(), "an array of 501");
  }

  @Test
  void moreThanAMebibyteIsOneDeadLetter() {
    byte[] large = utf8(aRequest(run + "-in-it").meaning("x".repeat(600_000)).json());
    refusedAsAWhole(array(Collections.nCopies(2, large)), Map.of(), "at most 1048576 bytes");
  }

  @Test
  void anIdInTheHeaderIsRefusedWithAnArray() {
    String event = run + "-event";
    refusedAsAWhole(
        array(List.of(nowhere(run + "-in-it"))), Map.of("ce_id", event), "ce_id: " + event);
    assertThat(site.statuses().await(event, RequestState.REJECTED).reason())
        .contains("each has its id in its body");
  }

  private void refusedAsAWhole(byte[] value, Map<String, String> headers, String about) {
    RecordMetadata sent = site.post(value, headers);
    site.post(nowhere(run + "-behind"), Map.of());

    site.statuses().await(run + "-behind", RequestState.QUEUED);
    ConsumerRecord<byte[], byte[]> letter = site.deadLetter(sent);
    assertThat(TopicLog.header(letter, "stoker-reason")).contains(about);
    assertThat(letter.headers().lastHeader("stoker-index")).isNull();
    assertThat(site.deadLettersOf(sent))
        .allSatisfy(one -> assertThat(one.headers().lastHeader("stoker-index")).isNull());
    assertThat(site.statuses().last().keySet()).noneMatch(id -> id.startsWith(run + "-in-it"));
  }

  /** Which elements were put aside, however often: a batch may be read once more. */
  private Set<String> indexesOf(RecordMetadata sent) {
    return site.deadLettersOf(sent).stream()
        .map(letter -> TopicLog.header(letter, "stoker-index"))
        .collect(Collectors.toSet());
  }

  private static byte[] array(List<byte[]> elements) {
    ByteArrayOutputStream array = new ByteArrayOutputStream();
    for (byte[] element : elements) {
      array.writeBytes(utf8(array.size() == 0 ? " [ " : " ,\n"));
      array.writeBytes(element);
    }
    array.writeBytes(utf8("]\n"));
    return array.toByteArray();
  }

  /** A request that no host of any test serves. */
  private static byte[] nowhere(String id) {
    return utf8(aRequest(id).resource("require", Map.of("only", "nowhere")).json());
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
