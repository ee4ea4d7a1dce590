package io.stoker.dispatcher.service.access;

import io.stoker.common.security.Macs;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;

/**
 * Carries who has posted something by REST along with its record, as headers that dispatchers sign:
 * whoever else writes to the topic can name nobody.
 */
@ApplicationScoped
public class SentBy {
  private static final String NAME = "stoker-sent-by";
  private static final String PROOF = "stoker-sent-by-proof";

  private final TokenBook tokens;

  SentBy(TokenBook tokens) {
    this.tokens = tokens;
  }

  /** What a record gets; nothing if nobody had to say who they are. */
  public Headers headers(Caller caller, byte[] record) {
    RecordHeaders headers = new RecordHeaders();
    Optional<byte[]> key = key();
    if (key.isPresent() && caller.name().isPresent()) {
      String name = caller.name().get();
      headers.add(NAME, name.getBytes(StandardCharsets.UTF_8));
      headers.add(PROOF, Macs.sentBy(key.get(), name, record).getBytes(StandardCharsets.US_ASCII));
    }
    return headers;
  }

  /** Who has posted a record; empty if it does not say, or no dispatcher vouches for it. */
  public Optional<String> of(ConsumerRecord<byte[], byte[]> record) {
    Header name = record.headers().lastHeader(NAME);
    Header proof = record.headers().lastHeader(PROOF);
    if (name == null || proof == null || record.value() == null) {
      return Optional.empty();
    }
    String said = text(name);
    return key()
        .filter(key -> Macs.isSentBy(key, said, record.value(), text(proof)))
        .map(key -> said);
  }

  private Optional<byte[]> key() {
    return tokens.secret().map(HexFormat.of()::parseHex);
  }

  private static String text(Header header) {
    return header.value() == null ? "" : new String(header.value(), StandardCharsets.UTF_8);
  }
}
