package io.stoker.e2e.spine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.stack.BesideTheSharedStack;
import io.stoker.e2e.stack.Posted;
import io.stoker.e2e.stack.StatusLog;
import io.stoker.e2e.stack.StokerStack;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Queues among each other: {@code docs/scheduling.md}, on six CPU slots. */
@ExtendWith(ThreeHosts.class)
@ResourceLock(ThreeHosts.LOCK)
@BesideTheSharedStack
@Timeout(1_200)
class QueueSharesTest {
  @TempDir Path folder;
  private final StokerStack stack;
  private SixSlots slots;

  QueueSharesTest(StokerStack stack) {
    this.stack = stack;
  }

  @BeforeEach
  void slots() {
    slots = new SixSlots(folder, stack);
  }

  @Test
  void queuesShareByTheirWeights() throws Exception {
    Gate busy = Gate.in(folder, "share-busy");
    Gate held = Gate.in(folder, "share-held");
    List<String> before = slots.occupy("share-before", SixSlots.SLOTS, busy);
    List<String> line = new ArrayList<>();
    for (String queue : List.of("heavy", "light")) {
      for (int i = 0; i < SixSlots.SLOTS; i++) {
        String id = "share-" + queue + "-" + i;
        stack.post(Posted.script(id, held.await() + "# " + id).with("queue", queue));
        line.add(id);
      }
    }
    line.forEach(id -> stack.statuses().await(id, RequestState.QUEUED));

    busy.open();
    await("all slots to be given again")
        .atMost(StatusLog.PATIENCE)
        .until(() -> slots.running(line).size() == SixSlots.SLOTS);
    assertThat(slots.running(line)).filteredOn(id -> id.contains("heavy")).hasSize(4);
    assertThat(slots.running(line)).filteredOn(id -> id.contains("light")).hasSize(2);
    held.open();

    slots.succeed(before);
    slots.succeed(line);
  }

  @Test
  void aQueueRunsAndKeepsWaitingNoMoreThanItMay() throws Exception {
    Gate gate = Gate.in(folder, "narrow");
    stack.post(Posted.script("narrow-runs", gate.await()).with("queue", "narrow"));
    stack.statuses().await("narrow-runs", RequestState.RUNNING);
    stack.post(slots.noting("narrow-a", 1).with("queue", "narrow"));
    stack.statuses().await("narrow-a", RequestState.QUEUED);
    stack.post(slots.noting("narrow-b", 1).with("queue", "narrow"));
    stack.statuses().await("narrow-b", RequestState.QUEUED);
    stack.post(slots.noting("narrow-c", 1).with("queue", "narrow"));

    RequestStatus refused = stack.statuses().await("narrow-c", RequestState.REJECTED);
    assertThat(refused.code()).isEqualTo(Code.QUEUE_FULL);
    slots.awaitExplained("narrow-a", "\"label\":\"LIMIT\"");
    slots.stoker("priority", "narrow-b", "5");
    slots.awaitExplained("narrow-b", "\"place\":1");
    gate.open();

    slots.succeed(List.of("narrow-runs", "narrow-a", "narrow-b"));
    assertThat(slots.nanos("narrow-b")).isLessThan(slots.nanos("narrow-a"));
  }

  @Test
  void aQueuesOwnTopicWinsOverTheBodyAndReachesItAlone() {
    Posted request = Posted.script("own-taken", "exit 0 # own-taken").with("queue", "heavy");
    stack
        .producer()
        .send(new ProducerRecord<>(stack.topics().requests("own"), request.id(), request.bytes()));
    stack.post(Posted.script("own-refused", "exit 0 # own-refused").with("queue", "own"));

    RequestStatus taken = stack.statuses().awaitEnd("own-taken");
    assertThat(taken.state()).as(taken.reason()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(taken.queue()).isEqualTo("own");
    RequestStatus refused = stack.statuses().awaitEnd("own-refused");
    assertThat(refused.state()).isEqualTo(RequestState.REJECTED);
    assertThat(refused.reason())
        .startsWith("queue: own, expected the name of an open queue: default, giver, hasty");
  }

  /** Two queues of one weight: three of the six slots are due to each while both have work. */
  @Test
  void aQueueTakesWhatIsDueToItFromOneThatHasMore() throws Exception {
    Gate gate = Gate.in(folder, "due");
    List<String> given = IntStream.range(0, SixSlots.SLOTS).mapToObj(i -> "due-" + i).toList();
    given.forEach(
        id ->
            stack.post(
                Posted.script(id, gate.await() + "# " + id)
                    .with("queue", "giver")
                    .with("preemptible", true)));
    given.forEach(id -> stack.statuses().await(id, RequestState.RUNNING));

    stack.post(Posted.script("due-taker", gate.await() + "# due-taker").with("queue", "taker"));

    stack.statuses().await("due-taker", RequestState.RUNNING);
    stack
        .statuses()
        .awaitLasts(
            lasts -> given.stream().anyMatch(id -> lasts.get(id).code() == Code.PREEMPTED),
            "one that has made room");
    gate.open();
    slots.succeed(List.of("due-taker"));
    slots.succeed(given);
    List<String> gave =
        given.stream()
            .filter(
                id ->
                    stack.statuses().seen(id).stream()
                        .anyMatch(status -> status.code() == Code.PREEMPTED))
            .toList();
    assertThat(gave).as("nobody who could be spared").hasSize(1);
    assertThat(stack.statuses().seen(gave.get(0)))
        .anySatisfy(
            status ->
                assertThat(status.reason())
                    .isEqualTo(
                        "preempted for request due-taker, whose queue taker has less than its"
                            + " share"));
    assertThat(stack.statuses().awaitEnd(gave.get(0)).attempt()).isGreaterThan(1);
  }
}
