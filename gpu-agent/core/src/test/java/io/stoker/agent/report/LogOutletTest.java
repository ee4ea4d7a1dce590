package io.stoker.agent.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.agent.key.AgentKey;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.LogChunk;
import io.stoker.common.message.LogChunk.Source;
import io.stoker.common.security.Macs;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class LogOutletTest {
  private static final Source JOB = new Source("job", 1, null, "host", "request");
  private final List<CompletableFuture<Void>> tries = new ArrayList<>();
  private final HandTimer timer = new HandTimer();
  private final List<Integer> taken = new ArrayList<>();
  private final List<byte[]> sent = new ArrayList<>();
  private final AgentKey hostKey = AgentKey.of(new byte[] {1});
  private final LogOutlet outlet =
      new LogOutlet(
          (key, value) -> {
            sent.add(value);
            tries.add(new CompletableFuture<>());
            return tries.getLast();
          },
          hostKey,
          timer);

  private void send(int n, String text) {
    LogChunk chunk = new LogChunk(JOB, "stdout", n, 1, text, false, false);
    outlet.send(chunk, () -> taken.add(n));
  }

  @Test
  void aPieceIsSentUntilTheBrokerHasIt() {
    send(0, "one");
    for (int i = 0; i < 3; i++) {
      tries.getLast().completeExceptionally(new IllegalStateException("no broker"));
      timer.pass(500);
    }
    assertThat(tries).hasSize(4);
    assertThat(taken).isEmpty();
    tries.getLast().complete(null);
    assertThat(taken).containsExactly(0);
    assertThat(timer.isIdle()).isTrue();
    assertThat(outlet.dropped()).isZero();
  }

  @Test
  void send_onceMoreAfterTheKeyWasReplaced_signsWithTheNewOne() throws MalformedJson {
    send(0, "one");
    hostKey.replace(new byte[] {2});
    tries.getLast().completeExceptionally(new IllegalStateException("no broker"));
    timer.pass(500);

    assertThat(Macs.sealed(new byte[] {1}, sent.getFirst())).isTrue();
    assertThat(Macs.sealed(new byte[] {2}, sent.getLast())).isTrue();
    assertThat(Json.read(sent.getLast(), LogChunk.class).text()).isEqualTo("one");
  }

  @Test
  void send_fromAHostWithoutAKey_isUnsigned() throws MalformedJson {
    new LogOutlet(
            (key, value) -> {
              sent.add(value);
              return CompletableFuture.completedFuture(null);
            },
            AgentKey.none(),
            timer)
        .send(new LogChunk(JOB, "stdout", 0, 1, "one", false, false));

    assertThat(Json.read(sent.getLast()).has("mac")).isFalse();
  }

  @Test
  void whatWaitsToBeSentAgainTakesRoomToo() {
    String large = "x".repeat(9 * 1024 * 1024);
    send(0, large);
    tries.getLast().completeExceptionally(new IllegalStateException("no broker"));
    send(1, large);
    assertThat(outlet.dropped()).isEqualTo(1);
    assertThat(taken).as("nobody tries any more").containsExactly(1);
  }
}
