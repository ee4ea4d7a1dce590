package io.stoker.agent.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.agent.attempt.Input;
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

@Timeout(300)
class AgentLoopTest {
  private final BlockingQueue<Throwable> fatal = new LinkedBlockingQueue<>();
  private final Scene scene = new Scene();
  private AgentLoop loop;

  @BeforeEach
  void open() {
    loop = new AgentLoop(scene.state, scene::now, fatal::add);
    loop.coordinate(scene.coordinator);
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
    assertThat(fatal.poll(300, TimeUnit.MILLISECONDS)).isNull();
    assertThat(scene.happened).isEmpty();

    clear.complete(null);

    loop.caughtUp().join();
    assertThat(scene.happened).contains("says Hello");
  }

  @Test
  void whatCannotBeEndedStopsTheAgentThatSaysNothing() throws Exception {
    CompletableFuture<Void> clear = new CompletableFuture<>();
    loop.begin(clear);
    loop.post(new Input.PlacementsFrom(7));
    IOException why = new IOException("no such folder");

    clear.completeExceptionally(why);

    assertThat(fatal.poll(60, TimeUnit.SECONDS)).isSameAs(why);
    loop.caughtUp().join();
    assertThat(scene.happened).isEmpty();
  }

  @Test
  void whatHasComeWhileItActedIsDecidedOnTogetherInOrder() {
    CompletableFuture<Void> goOn = new CompletableFuture<>();
    List<String> before = new CopyOnWriteArrayList<>();
    List<String> dealtWith = new CopyOnWriteArrayList<>();
    CompletableFuture<Void> busy = new CompletableFuture<>();
    loop.run(
        () -> {
          busy.complete(null);
          goOn.join();
        });
    busy.join();
    loop.post(new Input.PlacementsFrom(2));
    loop.run(() -> before.addAll(offsets()));
    loop.post(new Input.PlacementsFrom(3), () -> dealtWith.addAll(offsets()));
    loop.post(new Input.PlacementsFrom(4));

    goOn.complete(null);

    loop.caughtUp().join();
    assertThat(before).containsExactly("journal Offset");
    assertThat(dealtWith).containsExactly("journal Offset", "journal Offset", "journal Offset");
  }

  private List<String> offsets() {
    return scene.happened.stream().filter("journal Offset"::equals).toList();
  }
}
