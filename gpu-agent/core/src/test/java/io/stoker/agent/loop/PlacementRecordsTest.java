package io.stoker.agent.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.ReceivedRecord;
import io.stoker.agent.key.AgentKey;
import io.stoker.agent.loop.RecordSignatures.Demand;
import io.stoker.common.json.Json;
import io.stoker.common.message.Parts;
import io.stoker.common.message.PlacementsRecord;
import io.stoker.common.message.ToAgent;
import io.stoker.common.security.Macs;
import java.util.List;
import org.junit.jupiter.api.Test;

class PlacementRecordsTest {
  private static final byte[] KEY = {1, 2, 3};
  private static final byte[] SIGNING = Macs.placementsKey(KEY);
  private static final ToAgent CANCEL = new ToAgent.Cancel("job", 1, "why");

  private long offset;

  @Test
  void read_unsignedBeforeAnySigned_isReceived() {
    assertThat(records(Demand.ONCE_SEEN, false).read(raw(plain(CANCEL))))
        .isInstanceOfSatisfying(Input.Received.class, in -> assertThat(in.signed()).isFalse());
  }

  @Test
  void read_signed_isReceivedAsSigned() {
    assertThat(records(Demand.ONCE_SEEN, false).read(raw(signed(CANCEL))))
        .isInstanceOfSatisfying(Input.Received.class, in -> assertThat(in.signed()).isTrue());
  }

  @Test
  void read_unsignedAfterASignedOne_isRefused() {
    PlacementRecords records = records(Demand.ONCE_SEEN, false);
    records.read(raw(signed(CANCEL)));

    assertRefused(records.read(raw(plain(CANCEL))), "not signed");
  }

  @Test
  void read_unsignedWhereAnEarlierAgentHasSeenSignedOnes_isRefused() {
    assertRefused(records(Demand.ONCE_SEEN, true).read(raw(plain(CANCEL))), "not signed");
  }

  @Test
  void read_unsignedWhereSignaturesAreAlwaysDemanded_isRefused() {
    assertRefused(records(Demand.ALWAYS, false).read(raw(plain(CANCEL))), "not signed");
  }

  @Test
  void read_unsignedWhereNobodyLooks_isReceived() {
    assertThat(records(Demand.NEVER, true).read(raw(plain(CANCEL))))
        .isInstanceOf(Input.Received.class);
  }

  @Test
  void read_signedWithAnotherKey_isRefusedFromTheFirstRecordOn() {
    byte[] other = Macs.seal(Macs.placementsKey(new byte[] {9}), plain(CANCEL));

    assertRefused(records(Demand.ONCE_SEEN, false).read(raw(other)), "signature");
  }

  @Test
  void read_signedAsTheAgentSignsItsEvents_isRefused() {
    assertRefused(
        records(Demand.ONCE_SEEN, false).read(raw(Macs.seal(KEY, plain(CANCEL)))), "signature");
  }

  @Test
  void read_anotherEpochUnderTheSameSignature_isRefused() {
    String changed = new String(signed(CANCEL)).replace("\"epoch\":3", "\"epoch\":4");

    assertRefused(records(Demand.ONCE_SEEN, false).read(raw(changed.getBytes())), "signature");
  }

  @Test
  void read_partThatWasToldUnsigned_isNoPartOfASignedMessage() {
    List<ToAgent.Part> forged = Parts.cut(new ToAgent.Cancel("job", 1, "forged"), 20);
    List<ToAgent.Part> meant = Parts.cut(new ToAgent.Cancel("job", 1, "signed"), 20);
    PlacementRecords records = records(Demand.ONCE_SEEN, false);
    String id = meant.getFirst().id();
    for (ToAgent.Part part : forged.subList(0, forged.size() - 1)) {
      records.read(raw(plain(new ToAgent.Part(id, part.n(), part.of(), part.bytes()))));
    }

    Input last = records.read(raw(signed(meant.getLast())));

    assertThat(last)
        .isInstanceOfSatisfying(
            Input.Received.class, in -> assertThat(in.record().messages()).isEmpty());
  }

  @Test
  void read_signedWithTheKeyBefore_isReceivedForAMomentOnceTheKeyIsReplaced() {
    long[] now = {0};
    AgentKey key = AgentKey.of(KEY, () -> now[0]);
    PlacementRecords records =
        new PlacementRecords(
            "host", new RecordSignatures(key, Demand.ONCE_SEEN, false), record -> record);
    byte[] next = {7};

    assertThat(key.replace(next)).isTrue();
    assertThat(key.replace(next)).isFalse();

    byte[] told = Macs.seal(Macs.placementsKey(next), plain(CANCEL));
    assertThat(records.read(raw(told))).isInstanceOf(Input.Received.class);
    assertThat(records.read(raw(signed(CANCEL)))).isInstanceOf(Input.Received.class);
    now[0] = AgentKey.BEFORE_MS;
    assertRefused(records.read(raw(signed(CANCEL))), "signature");
  }

  @Test
  void demandOfSignatures_withoutAKey_isAMistake() {
    assertThatThrownBy(() -> new RecordSignatures(AgentKey.none(), Demand.ALWAYS, false))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no key");
  }

  private static PlacementRecords records(Demand demand, boolean seen) {
    return new PlacementRecords(
        "host", new RecordSignatures(AgentKey.of(KEY), demand, seen), record -> record);
  }

  private static void assertRefused(Input input, String why) {
    assertThat(input)
        .isInstanceOfSatisfying(
            Input.Unreadable.class, in -> assertThat(in.reason()).contains(why));
  }

  private static byte[] plain(ToAgent message) {
    return Json.bytes(new PlacementsRecord("host", 3, List.of(message)));
  }

  private static byte[] signed(ToAgent message) {
    return Macs.seal(SIGNING, plain(message));
  }

  private ReceivedRecord raw(byte[] value) {
    return new ReceivedRecord("placements", 0, offset++, null, value);
  }
}
