package io.stoker.agent.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.reactive.messaging.kafka.api.OutgoingKafkaRecordMetadata;
import io.stoker.agent.attempt.ReceivedRecord;
import io.stoker.common.text.PlainText;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.microprofile.reactive.messaging.Emitter;
import org.eclipse.microprofile.reactive.messaging.Message;
import org.junit.jupiter.api.Test;

class OutletsTest {
  private static final int LARGE = 1 << 20;

  private final List<Message<?>> sent = new ArrayList<>();

  /** No broker would take more than a record holds, and nobody would hear of it. */
  @Test
  void deadLetter_ofWhatIsLargeInEachPart_fitsIntoARecord() {
    byte[] large = "x".repeat(LARGE).getBytes(StandardCharsets.UTF_8);
    Outlets outlets = new Outlets(null, () -> "stoker.", null, null, null, emitter());

    outlets.deadLetter(
        new ReceivedRecord("placements", 0, 7, large, large), "for host " + "x".repeat(LARGE));

    Message<?> letter = sent.getFirst();
    OutgoingKafkaRecordMetadata<?> record =
        letter.getMetadata(OutgoingKafkaRecordMetadata.class).orElseThrow();
    String reason =
        new String(record.getHeaders().lastHeader("stoker-reason").value(), StandardCharsets.UTF_8);
    assertThat((byte[]) letter.getPayload()).hasSize(64 * 1024);
    assertThat((String) record.getKey()).hasSize(1024);
    assertThat(reason).startsWith("for host x").hasSizeLessThan(PlainText.LONGEST + 2);
  }

  @SuppressWarnings("unchecked")
  private Emitter<byte[]> emitter() {
    return (Emitter<byte[]>)
        Proxy.newProxyInstance(
            Emitter.class.getClassLoader(),
            new Class<?>[] {Emitter.class},
            (self, method, given) -> sent.add((Message<?>) given[0]) ? null : null);
  }
}
