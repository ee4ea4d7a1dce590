package io.stoker.dispatcher.service.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.stoker.common.json.Json;
import io.stoker.common.message.LogChunk;
import io.stoker.common.message.LogChunk.Source;
import io.stoker.common.security.Macs;
import io.stoker.dispatcher.host.HostKeyBook;
import io.stoker.dispatcher.model.HostKey;
import io.stoker.dispatcher.service.config.HostKeys;
import io.stoker.dispatcher.service.postgres.ApiQueries.Placed;
import io.stoker.dispatcher.service.rest.LogTail.Piece;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LogOriginTest {
  private static final String SECRET = "00112233445566778899aabbccddeeff";

  private final HostKeyBook book = new HostKeyBook();
  private final List<Placed> placed = new ArrayList<>();
  private int asked;
  private LogOrigin origin = origin(Map.of("stoker.host-secret", SECRET));

  private LogOrigin origin(Map<String, String> config) {
    HostKeys keys =
        HostKeys.of(
            new SmallRyeConfigBuilder()
                .withSources(new PropertiesConfigSource(config, "test", 1))
                .build(),
            book);
    return new LogOrigin(
        keys,
        () -> {
          asked++;
          return List.copyOf(placed);
        });
  }

  @BeforeEach
  void h1AndH2Sign() {
    HostKey key = HostKey.NONE.welcomed(true).signingOutput(true, 5);
    book.read(Map.of("h1", key, "h2", key), 0);
  }

  @Test
  void believes_aMemberOfAGang_byTheKeyOfItsOwnHost() throws InterruptedException {
    placed.add(new Placed(1, 0, "h1", 5));
    placed.add(new Placed(1, 1, "h2", 5));
    List<Piece> pieces = List.of(piece(1, 0, "h1"), piece(1, 1, "h2"), piece(1, 1, "h1"));
    origin.learn(pieces);

    assertThat(pieces).extracting(origin::believes).containsExactly(true, true, false);
  }

  @Test
  void learn_ofAttemptsThatAreKnown_asksNobody() throws InterruptedException {
    placed.add(new Placed(1, 0, "h1", 5));
    origin.learn(List.of(piece(1, null, "h1")));
    origin.learn(List.of(piece(1, null, "h1"), piece(1, null, "h2")));
    assertThat(asked).isEqualTo(1);

    placed.add(new Placed(2, 0, "h2", 6));
    origin.learn(List.of(piece(2, null, "h2"), piece(3, null, "h2")));
    assertThat(asked).isEqualTo(2);
    assertThat(origin.believes(piece(2, null, "h2"))).isTrue();
    assertThat(origin.believes(piece(3, null, "h2"))).as("there is no such attempt").isFalse();
  }

  @Test
  void remark_isMadeOnce_andSaysWhoWouldHaveHadToSign() throws InterruptedException {
    placed.add(new Placed(1, 0, "h1\u001b[2J", 5));
    origin.learn(List.of(piece(1, null, "h2")));

    LogChunk remark = origin.remark(piece(1, null, "h2").chunk()).orElseThrow();
    assertThat(remark.ofDispatcher()).isTrue();
    assertThat(remark.text())
        .contains("host h1", "attempt 1")
        .doesNotContain("\u001b")
        .endsWith("\n")
        .hasLineCount(1);
    assertThat(origin.remark(piece(1, null, "h2").chunk())).isEmpty();
  }

  @Test
  void believes_everything_whereHostsHaveNoKeysOrNobodyLooks() throws InterruptedException {
    for (Map<String, String> config :
        List.of(
            Map.<String, String>of(),
            Map.of("stoker.host-secret", SECRET, "stoker.host-keys", "off"))) {
      origin = origin(config);
      origin.learn(List.of(piece(9, null, "h3")));
      assertThat(origin.believes(piece(9, null, "h3"))).isTrue();
    }
    assertThat(asked).isZero();
  }

  private static Piece piece(int attempt, Integer rank, String signer) {
    Source source = new Source("j", attempt, rank, "h1", "r");
    LogChunk chunk = new LogChunk(source, "stdout", 0, 0, "text", false, false);
    byte[] key = Macs.hostKey(HexFormat.of().parseHex(SECRET), signer);
    return new Piece(chunk, Macs.seal(key, Json.bytes(chunk)));
  }
}
