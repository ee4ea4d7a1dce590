package io.stoker.dispatcher.coordinator.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.ToAgent;
import io.stoker.common.size.SendLimits;
import io.stoker.dispatcher.host.AgentRecords.Written;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.runtime.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class AgentSenderTest {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final List<String> sent = new ArrayList<>();
  private final CompletableFuture<Void> stuck = new CompletableFuture<>();
  private final AgentSender sender =
      new AgentSender(
          Environment.ofProcess(Fault::ofOther, Environment::atOnce),
          null,
          new AgentChannel() {
            @Override
            public Uni<Void> open(String host) {
              return Uni.createFrom().voidItem();
            }

            @Override
            public Uni<Void> send(String host, Written record) {
              sent.add(host);
              return host.equals("stuck")
                  ? Uni.createFrom().completionStage(stuck)
                  : Uni.createFrom().voidItem();
            }
          },
          null,
          SendLimits.REAL);

  private void tell(String... hosts) {
    Map<String, List<ToAgent>> messages = new LinkedHashMap<>();
    Map<String, Long> epochs = new LinkedHashMap<>();
    for (String host : hosts) {
      messages.put(host, List.of(new ToAgent.Cancel("job", 1, "over")));
      epochs.put(host, 1L);
    }
    sender.tell(messages, epochs).await().atMost(PATIENCE);
  }

  @Test
  void aTopicThatTakesNothingHoldsUpNobodyAndIsSentNoMoreMeanwhile() {
    tell("stuck", "well");
    tell("stuck", "well");
    assertThat(sent).containsExactly("stuck", "well", "well");

    stuck.complete(null);
    tell("stuck", "well");
    assertThat(sent).endsWith("stuck", "well");
  }

  @Test
  void whatFailsLaterIsSentAgainTheNextTime() {
    tell("stuck");
    stuck.completeExceptionally(new IllegalStateException("no leader"));

    assertThatThrownBy(() -> tell("stuck")).hasMessageContaining("no leader");
    assertThat(sent).containsExactly("stuck", "stuck");
  }
}
