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
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Who starts next, and why not yet: {@code docs/scheduling.md}, on six CPU slots. */
@ExtendWith(ThreeHosts.class)
@ResourceLock(ThreeHosts.LOCK)
@BesideTheSharedStack
@Timeout(1_200)
class SchedulingTest {
  /** Of the queue hasty. */
  private static final Duration AGING = Duration.ofMillis(10);

  @TempDir Path folder;
  private final StokerStack stack;
  private SixSlots slots;

  SchedulingTest(StokerStack stack) {
    this.stack = stack;
  }

  @BeforeEach
  void slots() {
    slots = new SixSlots(folder, stack);
  }

  @Test
  void theMoreUrgentGoesFirstAndWhatDoesNotFitBlocksNobody() throws Exception {
    Gate one = Gate.in(folder, "order-one");
    Gate others = Gate.in(folder, "order-others");
    List<String> last = slots.occupy("order-others", SixSlots.SLOTS - 1, others);
    slots.occupy("order-one", 1, one);
    stack.post(
        slots.noting("order-plain", 1).with("priority", 0),
        slots.noting("order-urgent", 1).with("priority", 5),
        slots.noting("order-large", 9).with("priority", 9));
    for (String id : List.of("order-plain", "order-urgent", "order-large")) {
      stack.statuses().await(id, RequestState.QUEUED);
    }

    one.open();

    slots.succeed(List.of("order-urgent", "order-plain"));
    assertThat(slots.nanos("order-urgent")).isLessThan(slots.nanos("order-plain"));
    slots.stoker("cancel", "order-large");
    assertThat(stack.statuses().awaitEnd("order-large").state()).isEqualTo(RequestState.CANCELLED);
    others.open();
    slots.succeed(last);
  }

  @Test
  void whoHasWaitedLongGoesBeforeTheMoreUrgent() throws Exception {
    Gate one = Gate.in(folder, "aging-one");
    Gate others = Gate.in(folder, "aging-others");
    List<String> last = slots.occupy("aging-others", SixSlots.SLOTS - 1, others);
    slots.occupy("aging-one", 1, one);
    stack.post(slots.noting("aging-old", 1).with("queue", "hasty"));
    stack.statuses().await("aging-old", RequestState.QUEUED);
    long posted = System.nanoTime();
    await("more time than five steps of priority are worth")
        .until(() -> System.nanoTime() - posted > 10 * AGING.toNanos());

    stack.post(slots.noting("aging-urgent", 1).with("queue", "hasty").with("priority", 5));
    slots.awaitExplained("aging-urgent", "\"place\":2");
    one.open();

    slots.succeed(List.of("aging-old", "aging-urgent"));
    assertThat(slots.nanos("aging-old")).isLessThan(slots.nanos("aging-urgent"));
    others.open();
    slots.succeed(last);
  }

  @Test
  void forOneThatHasWaitedLongAHostIsKeptWhileOthersPassElsewhere() throws Exception {
    List<Gate> gates =
        IntStream.range(0, SixSlots.SLOTS).mapToObj(i -> Gate.in(folder, "kept-" + i)).toList();
    for (int i = 0; i < SixSlots.SLOTS; i++) {
      slots.occupy("kept-before-" + i, 1, gates.get(i));
    }
    stack.post(slots.noting("kept-large", 2));
    stack.statuses().await("kept-large", RequestState.QUEUED);
    Gate held = Gate.in(folder, "kept-held");
    List<String> small =
        IntStream.range(0, SixSlots.SLOTS).mapToObj(i -> "kept-small-" + i).toList();
    small.forEach(id -> stack.post(Posted.script(id, held.await() + "# " + id)));
    small.forEach(id -> stack.statuses().await(id, RequestState.QUEUED));
    String kept = awaitKept("kept-large");

    List<Integer> there =
        IntStream.range(0, SixSlots.SLOTS).filter(i -> host(i).equals(kept)).boxed().toList();
    int elsewhere =
        IntStream.range(0, SixSlots.SLOTS)
            .filter(i -> !host(i).equals(kept))
            .findFirst()
            .orElseThrow();
    gates.get(there.get(0)).open();
    slots.succeed(List.of("kept-before-" + there.get(0) + "-0"));
    gates.get(elsewhere).open();
    await("a small one to pass it")
        .atMost(StatusLog.PATIENCE)
        .until(() -> slots.running(small).size() == 1);
    assertThat(stack.statuses().newest().get(slots.running(small).get(0)).host())
        .isNotEqualTo(kept);
    gates.get(there.get(1)).open();

    RequestStatus end = stack.statuses().awaitEnd("kept-large");
    assertThat(end.state()).as(end.reason()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(end.host()).isEqualTo(kept);
    held.open();
    for (int i = 0; i < SixSlots.SLOTS; i++) {
      if (!Files.exists(gates.get(i).file())) {
        gates.get(i).open();
      }
    }
    slots.succeed(small);
  }

  @Test
  void aGroupsRetriesAreUsedTogetherAndEachWaitsBefore() throws Exception {
    slots.stoker("group", "sched-retries", "--retries", "1");
    stack.post(
        Posted.script("retries", "exit 3 # retries")
            .with("group", "sched-retries")
            .with("retry", Map.of("app", 5)));

    RequestStatus end = stack.statuses().awaitEnd("retries");

    // A placement that an agent gave back has a number, too, and costs no retry.
    assertThat(end.code()).isEqualTo(Code.APP_FAILURE);
    assertThat(end.reason()).contains("has used the 1 that its jobs have together");
    assertThat(stack.statuses().seen("retries"))
        .anySatisfy(
            status -> {
              assertThat(status.state()).isEqualTo(RequestState.QUEUED);
              assertThat(status.reason()).containsPattern("attempt [0-9] follows, and waits until");
            });
  }

  private String host(int occupied) {
    return stack.statuses().await("kept-before-" + occupied + "-0", RequestState.RUNNING).host();
  }

  /** The host that is kept free for a request. */
  private String awaitKept(String id) {
    Pattern keeps = Pattern.compile("host (host-[0-9]) is kept free for it");
    String host =
        await("a host to be kept for " + id)
            .atMost(StatusLog.PATIENCE)
            .until(() -> keeps.matcher(slots.rest().get("/explain/" + id)), Matcher::find)
            .group(1);
    await(host + " to be shown as reserved for " + id)
        .atMost(StatusLog.PATIENCE)
        .until(
            () -> slots.rest().json("/hosts/" + host).path("reserved").findValuesAsText("id"),
            List.of(id)::equals);
    return host;
  }
}
