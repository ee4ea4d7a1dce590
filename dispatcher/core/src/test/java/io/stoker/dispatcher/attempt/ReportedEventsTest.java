package io.stoker.dispatcher.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.json.Json;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.EventsRecord;
import io.stoker.common.security.Macs;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which records of events are believed to be of the host that they name. */
class ReportedEventsTest {
  private static final byte[] SECRET = {1};
  private static final byte[] TOKEN = {2};
  private static final AttemptEvent EVENT =
      AttemptEvent.of("j", 1).seq(2).type(AttemptEvent.Type.RUNNING).at(3).build();

  private static byte[] record(String host, AttemptEvent event) {
    return Json.bytes(new EventsRecord(host, 1, List.of(event)));
  }

  private static ReportedEvents read(byte[] record) {
    return ReportedEvents.read(
        record, (host, bytes) -> Macs.sealed(Macs.hostKey(SECRET, host), bytes));
  }

  @Test
  void oneWithoutACodeIsSignedByItsEvents() {
    ReportedEvents read = read(record("h", EVENT.signed(Macs.sign(TOKEN, EVENT))));

    assertThat(read.flaw()).isEmpty();
    assertThat(read.reports()).hasSize(1).noneMatch(AttemptReport::sealed);
    assertThat(read.reports().getFirst().knows(TOKEN)).isTrue();
    assertThat(read.reports().getFirst().knows(SECRET)).isFalse();
  }

  @Test
  void oneThatItsHostHasSignedHasProofsOfTokens() {
    byte[] sealed = Macs.seal(Macs.hostKey(SECRET, "h"), record("h", EVENT.proven(TOKEN)));

    ReportedEvents read = read(sealed);

    assertThat(read.flaw()).isEmpty();
    assertThat(read.reports()).hasSize(1).allMatch(AttemptReport::sealed);
    assertThat(read.reports().getFirst().knows(TOKEN)).isTrue();
    assertThat(read.reports().getFirst().knows(SECRET)).isFalse();
  }

  @Test
  void noOtherHostsKeyAndNoOtherCodeWillDo() {
    byte[] of = Macs.seal(Macs.hostKey(SECRET, "other"), record("h", EVENT.proven(TOKEN)));
    assertThat(read(of).reports()).isEmpty();
    assertThat(read(of).flaw()).hasValue("the record's mac is not of the key of host h");

    byte[] sealed = Macs.seal(Macs.hostKey(SECRET, "h"), record("h", EVENT.proven(TOKEN)));
    String more = new String(sealed, StandardCharsets.UTF_8).replace("\"seq\":2", "\"seq\":3");
    assertThat(read(more.getBytes(StandardCharsets.UTF_8)).reports()).isEmpty();
  }

  @Test
  void aProofIsNoCodeOnceTheRecordsIsTakenAway() {
    byte[] record = record("h", EVENT.proven(TOKEN));

    assertThat(read(record).reports().getFirst().knows(TOKEN)).isFalse();
  }

  @Test
  void aCodeOfTheEventIsNoProof() {
    byte[] record = record("h", EVENT.signed(Macs.sign(TOKEN, EVENT)));

    ReportedEvents read = read(Macs.seal(Macs.hostKey(SECRET, "h"), record));

    assertThat(read.reports().getFirst().knows(TOKEN)).isFalse();
  }

  @Test
  void oneEventThatIsWrongKeepsBackNoOther() {
    String text = new String(record("h", EVENT), StandardCharsets.UTF_8);
    String wrong = text.replace("\"events\":[", "\"events\":[{\"job\":1,\"attempt\":\"x\"},");

    ReportedEvents read = read(wrong.getBytes(StandardCharsets.UTF_8));

    assertThat(read.flaw()).hasValueSatisfying(flaw -> assertThat(flaw).startsWith("no event"));
    assertThat(read.reports()).hasSize(1);
    assertThat(read(Arrays.copyOf(record("h", EVENT), 9)).flaw()).isPresent();
  }

  @Test
  void anEndWithNothingButHowItEndedIsProvenAsItCame() {
    AttemptEvent end =
        AttemptEvent.of("j", 1)
            .seq(2)
            .type(AttemptEvent.Type.ENDED)
            .at(3)
            .outcome(AttemptEvent.Outcome.SUCCEEDED)
            .exitCode(0)
            .result(Json.tree("r"))
            .build();
    byte[] sealed = Macs.seal(Macs.hostKey(SECRET, "h"), record("h", end.proven(TOKEN)));

    AttemptReport bare = read(sealed).reports().getFirst().bare("it is full").orElseThrow();

    assertThat(bare.event().outcome()).isEqualTo(AttemptEvent.Outcome.FAILED);
    assertThat(bare.knows(TOKEN)).isTrue();
  }
}
