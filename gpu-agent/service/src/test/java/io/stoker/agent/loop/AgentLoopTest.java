package io.stoker.agent.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.agent.attempt.AgentDecider;
import io.stoker.agent.attempt.AgentRules;
import io.stoker.agent.attempt.AgentState;
import io.stoker.agent.attempt.Effect;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.JournalEntry;
import io.stoker.agent.attempt.Lease;
import io.stoker.agent.device.DeviceBooks;
import io.stoker.agent.device.Inventory;
import io.stoker.agent.spawn.BootClock;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
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

  @Test
  void whatHasComeWhileItActedIsDecidedOnTogetherInOrder() throws Exception {
    CompletableFuture<Void> acting = new CompletableFuture<>();
    CompletableFuture<Void> goOn = new CompletableFuture<>();
    BlockingQueue<List<Effect>> performed = new LinkedBlockingQueue<>();
    try (AgentLoop busy = loop(performed, acting, goOn)) {
      busy.post(new Input.PlacementsFrom(1));
      acting.join();
      busy.post(new Input.PlacementsFrom(2));
      CompletableFuture<Boolean> askedBetween = busy.ask(now -> performed.size() == 2);
      List<String> dealtWith = new CopyOnWriteArrayList<>();
      busy.accept(new Input.PlacementsFrom(3), () -> dealtWith.add(performed.size() + " done"));
      busy.post(new Input.PlacementsFrom(4));

      goOn.complete(null);

      busy.caughtUp().join();
      assertThat(performed)
          .extracting(AgentLoopTest::offsets)
          .containsExactly("[1]", "[2]", "[3, 4]");
      assertThat(askedBetween.join()).isTrue();
      assertThat(dealtWith).containsExactly("3 done");
    }
  }

  @Test
  void timeAloneWakesIt() throws Exception {
    loop.begin(CompletableFuture.completedFuture(null));
    loop.post(new Input.PlacementsFrom(7));

    Effect first = done.poll(20, TimeUnit.SECONDS);
    for (int hellos = 0; hellos < 2; first = done.poll(20, TimeUnit.SECONDS)) {
      hellos += first instanceof Effect.SayHello ? 1 : 0;
    }
  }

  private AgentLoop loop(
      BlockingQueue<List<Effect>> performed,
      CompletableFuture<Void> acting,
      CompletableFuture<Void> goOn)
      throws IOException {
    AgentLoop busy =
        new AgentLoop(new AgentDecider(AgentRules.standard()), state, new BootClock(), fatal::add);
    busy.actions(
        (effects, now) -> {
          performed.add(effects);
          acting.complete(null);
          goOn.join();
        });
    return busy;
  }

  private static String offsets(List<Effect> effects) {
    return effects.stream()
        .filter(Effect.Journal.class::isInstance)
        .map(one -> ((JournalEntry.Offset) ((Effect.Journal) one).entry()).next())
        .toList()
        .toString();
  }
}
