package io.stoker.dispatcher.coordinator.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.UniEmitter;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.runtime.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class AnsweringTest {
  private final Answering answering =
      new Answering(Environment.ofProcess(Fault::ofOther, Environment::atOnce), Duration.ofDays(1));
  private final List<String> begun = new ArrayList<>();
  private final Map<String, UniEmitter<? super Void>> open = new HashMap<>();

  @Test
  void oneHostsAnswerThatTakesLongHoldsUpNoOther() {
    put("slow", "slow 1");
    put("slow", "slow 2");
    put("quick", "quick 1");

    assertThat(begun).containsExactly("slow 1", "quick 1");
  }

  @Test
  void eachHostsMessagesAreAnsweredInOrder() {
    put("a", "a 1");
    put("a", "a 2");
    put("a", "a 3");
    end("a 1");
    assertThat(begun).containsExactly("a 1", "a 2");
    end("a 2");
    assertThat(begun).containsExactly("a 1", "a 2", "a 3");
  }

  @Test
  void anAnswerThatFailsIsOverToo() {
    put("a", "a 1");
    put("a", "a 2");
    open.remove("a 1").fail(new IllegalStateException("no broker"));
    assertThat(begun).containsExactly("a 1", "a 2");
    answering.put(
        "b",
        "b 1",
        () -> {
          throw new IllegalStateException("at once");
        });
    put("b", "b 2");
    assertThat(begun).contains("b 2");
  }

  @Test
  void soManyAreAnsweredSideBySideAndTheHostThatWaitsLongestIsNext() {
    for (int host = 0; host <= Answering.AT_ONCE; host++) {
      put("h" + host, "h" + host);
    }
    put("h0", "h0 again");
    assertThat(begun).hasSize(Answering.AT_ONCE);

    end("h0");
    assertThat(begun).last().isEqualTo("h" + Answering.AT_ONCE);
  }

  @Test
  void whoSaysTooMuchIsNotAnsweredAndOthersAre() {
    put("a", "first");
    for (int n = 0; n < Answering.OF_A_HOST; n++) {
      assertThat(put("a", "a " + n)).isTrue();
    }
    assertThat(put("a", "one more")).isFalse();
    assertThat(put("b", "b")).isTrue();
    assertThat(begun).containsExactly("first", "b");
  }

  @Test
  void veryManyThatAreThereAtOnceAreAnsweredOneAfterTheOther() {
    put("a", "held");
    int others = 0;
    for (int host = 0; host < Answering.WAITING; host++) {
      others += answering.put("h" + host, "it", () -> Uni.createFrom().voidItem()) ? 1 : 0;
    }
    end("held");
    assertThat(others).isEqualTo(Answering.WAITING);
    put("a", "after");
    assertThat(begun).containsExactly("held", "after");
  }

  @Test
  void ofWhatIsSaidAgainWhileItWaitsOnlyTheNewestIsAnswered() {
    put("a", "held");
    put("a", "hello/first");
    put("a", "inventory");
    for (int n = 0; n < 2 * Answering.OF_A_HOST; n++) {
      assertThat(put("a", "hello/" + n)).isTrue();
    }
    end("held");
    end("inventory");
    end("hello/31");

    assertThat(begun).containsExactly("held", "inventory", "hello/31");
  }

  @Test
  void whatIsSaidAgainWhileItIsAnsweredIsAnsweredAgain() {
    put("a", "hello/1");
    put("a", "hello/2");
    end("hello/1");

    assertThat(begun).containsExactly("hello/1", "hello/2");
  }

  /** What an answer is to: of those with a slash what is before it. */
  private static String said(String answer) {
    return answer.replaceAll("/.*", "");
  }

  private boolean put(String host, String answer) {
    Supplier<Uni<Void>> lasting =
        () -> {
          begun.add(answer);
          return Uni.createFrom().emitter(emitter -> open.put(answer, emitter));
        };
    return answering.put(host, said(answer), lasting);
  }

  private void end(String answer) {
    open.remove(answer).complete(null);
  }
}
