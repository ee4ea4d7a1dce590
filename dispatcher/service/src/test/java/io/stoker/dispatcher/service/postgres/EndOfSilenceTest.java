package io.stoker.dispatcher.service.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class EndOfSilenceTest {
  private final EmbeddedChannel network = new EmbeddedChannel();
  private long now;

  @BeforeEach
  void watch() {
    network.freezeTime();
    network.pipeline().addFirst(new EndOfSilence(Duration.ofSeconds(20), () -> now));
  }

  private void pass(long ms) {
    now += TimeUnit.MILLISECONDS.toNanos(ms);
    network.advanceTimeBy(ms, TimeUnit.MILLISECONDS);
    network.runScheduledPendingTasks();
  }

  @Test
  void whatIsSentAfterALongIdleTimeHasAllOfTheTime() {
    pass(19_999);
    network.writeOutbound("question");
    pass(1);
    assertThat(network.isOpen()).isTrue();

    pass(19_998);
    assertThat(network.isOpen()).isTrue();

    pass(1);
    assertThat(network.isOpen()).isFalse();
  }

  @Test
  void moreQuestionsDoNotProlongTheWaitForAnAnswer() {
    for (int i = 0; i < 20; i++) {
      network.writeOutbound("question");
      pass(1_000);
    }

    assertThat(network.isOpen()).isFalse();
  }

  @Test
  void anAnswerThatComesBitByBitIsNoSilence() {
    network.writeOutbound("question");
    for (int i = 0; i < 20; i++) {
      pass(19_000);
      network.writeInbound("bit");
    }
    assertThat(network.isOpen()).isTrue();

    pass(20_000);
    assertThat(network.isOpen()).isFalse();
  }

  @Test
  void nothingIsLookedForOnAConnectionThatWasClosed() {
    network.close();
    pass(19_999);
    network.writeOneOutbound("too late");
    pass(1);

    assertThat(network.runScheduledPendingTasks()).isEqualTo(-1);
  }
}
