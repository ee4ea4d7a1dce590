package io.stoker.agent.supervise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class HelperTest {
  @Test
  void oneIsTriedAgainForWhichNoThreadCanBeMade() throws Exception {
    BlockingQueue<Integer> rounds = new LinkedBlockingQueue<>();
    BlockingQueue<Optional<String>> told = new LinkedBlockingQueue<>();
    Helper.Start start =
        round -> {
          rounds.add(round);
          if (rounds.size() < 3) {
            throw new OutOfMemoryError("unable to create native thread");
          }
        };
    try (Helper helper = new Helper("it", start, told::add)) {
      helper.begin();
      assertThat(told.poll(60, TimeUnit.SECONDS))
          .contains("it cannot be started: unable to create native thread");
      await().until(() -> rounds.size() == 3);
      helper.works(rounds.stream().reduce((a, b) -> b).orElseThrow());

      assertThat(told.poll(60, TimeUnit.SECONDS)).as("it is relied on again").isEmpty();
    }
  }
}
