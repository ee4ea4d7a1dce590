package io.stoker.agent.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.agent.attempt.AgentDecider;
import io.stoker.agent.attempt.AgentRules;
import io.stoker.agent.attempt.AgentState;
import io.stoker.agent.attempt.Effect;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.Lease;
import io.stoker.agent.device.DeviceBooks;
import io.stoker.agent.device.Inventory;
import io.stoker.agent.spawn.BootClock;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class AgentLoopTest {
  private final BlockingQueue<Throwable> fatal = new LinkedBlockingQueue<>();
  private final BlockingQueue<Effect> done = new LinkedBlockingQueue<>();
  private AgentState state;
  private AgentLoop loop;

  @BeforeEach
  void open() throws IOException {
    state =
        AgentState.replay(
            List.of(), DeviceBooks.of(Inventory.withoutGpu("a test", 1)), new Lease("start", 0));
    loop =
        new AgentLoop(new AgentDecider(AgentRules.standard()), state, new BootClock(), fatal::add);
    loop.actions((effects, now) -> done.addAll(effects));
  }

  @AfterEach
  void close() {
    loop.close();
  }

  @Test
  void nothingIsSaidBeforeWhatAnEarlierAgentLeftHasEnded() throws Exception {
    CompletableFuture<Void> clear = new CompletableFuture<>();
    loop.begin(clear);
    loop.post(new Input.PlacementsFrom(7));
    assertThat(done.poll(300, TimeUnit.MILLISECONDS)).isNull();

    clear.complete(null);

    loop.caughtUp().join();
    assertThat(done).anyMatch(Effect.SayHello.class::isInstance);
  }

  @Test
  void whatCannotBeEndedStopsTheAgentThatSaysNothing() throws Exception {
    CompletableFuture<Void> clear = new CompletableFuture<>();
    loop.begin(clear);
    loop.post(new Input.PlacementsFrom(7));
    IOException why = new IOException("no such folder");

    clear.completeExceptionally(why);

    assertThat(fatal.poll(20, TimeUnit.SECONDS)).isSameAs(why);
    loop.caughtUp().join();
    assertThat(done).isEmpty();
  }
}
