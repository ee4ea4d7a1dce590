package io.stoker.e2e.spine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stoker.cli.stack.child.Child;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.message.RequestStatus.Member;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.stack.BesideTheSharedStack;
import io.stoker.e2e.stack.CommandLine;
import io.stoker.e2e.stack.Posted;
import io.stoker.e2e.stack.Rest;
import io.stoker.e2e.stack.StatusLog;
import io.stoker.e2e.stack.StokerStack;
import io.stoker.e2e.stack.Traces;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Jobs on several hosts at once: three hosts of two CPU slots each. */
@ExtendWith(ThreeHosts.class)
@ResourceLock(ThreeHosts.LOCK)
@Timeout(1_200)
@BesideTheSharedStack
class GangsTest {
  @TempDir Path folder;
  private final StokerStack stack;

  GangsTest(StokerStack stack) {
    this.stack = stack;
  }

  /** A member writes what it finds to a file of its rank and attempt. */
  private Posted gang(String id, int cpus, String script) {
    String say = "echo $RANK/$WORLD_SIZE at $MASTER_ADDR:$MASTER_PORT > \"%s\"; echo $$ > \"%s\"; ";
    String file = folder.resolve(id) + "-$STOKER_RANK.$STOKER_ATTEMPT";
    return Posted.script(id, say.formatted(file, file + ".pid") + script)
        .with("resources", Map.of("hosts", 2, "cpus", cpus));
  }

  private String said(String id, int rank, int attempt) throws IOException {
    return Files.readString(folder.resolve("%s-%d.%d".formatted(id, rank, attempt))).strip();
  }

  private ProcessHandle process(String id, int rank, int attempt) throws IOException {
    Path file = folder.resolve("%s-%d.%d.pid".formatted(id, rank, attempt));
    await("the process of rank " + rank)
        .atMost(StatusLog.PATIENCE)
        .until(() -> Files.exists(file) && !Files.readString(file).isBlank());
    return ProcessHandle.of(Long.parseLong(Files.readString(file).strip())).orElseThrow();
  }

  @Test
  void itsMembersStartTogetherOnDifferentHostsAndKnowEachOther() throws Exception {
    stack.post(gang("together", 1, "echo \"#stoker:result $RANK\""));

    RequestStatus end = stack.statuses().awaitEnd("together");

    assertThat(end.state()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(end.result().intValue()).as("rank 0 speaks for all").isZero();
    assertThat(end.members()).extracting(Member::rank).containsExactly(0, 1);
    assertThat(end.members()).extracting(Member::host).doesNotHaveDuplicates();
    assertThat(said("together", 0, 1)).matches("0/2 at 127\\.0\\.0\\.1:[1-9][0-9]+");
    assertThat(said("together", 1, 1)).isEqualTo(said("together", 0, 1).replace("0/2", "1/2"));
    await("its status to be shown")
        .atMost(StatusLog.PATIENCE)
        .until(() -> stoker("status", "together").contains(end.members().get(1).host()));
  }

  @Test
  void oneThatFailsEndsTheOtherAndAllOfItIsTriedAgain() throws Exception {
    String fails = "[ $STOKER_ATTEMPT = 2 ] || { [ $RANK = 0 ] && sleep 1000; exit 3; }";
    stack.post(gang("fails", 1, fails).with("retry", Map.of("app", 1)));

    RequestStatus end = stack.statuses().awaitEnd("fails");

    assertThat(end.state()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(end.attempt()).isEqualTo(2);
    assertThat(stack.statuses().seen("fails"))
        .anySatisfy(
            status -> assertThat(status.reason()).contains("rank 1 on host", "exit code 3"));
    assertThat(said("fails", 0, 2)).startsWith("0/2");
    assertThat(said("fails", 1, 2)).startsWith("1/2");
    assertThat(stack.database().column("select job from attempt where job = ?", end.job()))
        .isEmpty();
  }

  @Test
  void twoThatDoNotFitTogetherRunOneAfterTheOther() throws Exception {
    Gate gate = Gate.in(folder, "one-by-one");
    stack.post(gang("first", 2, gate.await()), gang("second", 2, gate.await()));
    await("one of them to run")
        .atMost(StatusLog.PATIENCE)
        .until(() -> state("first").equals("RUNNING") || state("second").equals("RUNNING"));
    String waits = state("first").equals("RUNNING") ? "second" : "first";
    stack.statuses().await(waits, RequestState.QUEUED);

    // After a while two hosts are kept free for it.
    String why =
        "needs 2 hosts with 2 CPU slot\\(s\\) at once, and 1 of 3 able host\\(s\\) have room now"
            + "|1 of the hosts .* which are kept free for it, have 2 CPU slot\\(s\\) free";
    await()
        .atMost(StatusLog.PATIENCE)
        .until(() -> Pattern.compile(why).matcher(explained(waits)).find());
    gate.open();

    assertThat(stack.statuses().awaitEnd("first").state()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(stack.statuses().awaitEnd("second").state()).isEqualTo(RequestState.SUCCEEDED);
  }

  @Test
  void moreHostsThanThereAreIsSaidAtOnce() throws Exception {
    stack.post(
        Posted.script("many", "true")
            .with("resources", Map.of("hosts", 4))
            .with("dedup", "always"));
    stack.statuses().await("many", RequestState.QUEUED);
    await()
        .atMost(StatusLog.PATIENCE)
        .until(() -> stoker("explain", "many").contains("and 3 can ever serve it"));
    stoker("cancel", "many");
    assertThat(stack.statuses().awaitEnd("many").state()).isEqualTo(RequestState.CANCELLED);
  }

  @Test
  void itIsCancelledOnAllItsHosts() throws Exception {
    stack.post(gang("cancelled", 1, "sleep 1000"));
    List<ProcessHandle> members = List.of(process("cancelled", 0, 1), process("cancelled", 1, 1));

    stoker("cancel", "cancelled");

    assertThat(stack.statuses().awaitEnd("cancelled").state()).isEqualTo(RequestState.CANCELLED);
    assertThat(members).noneMatch(Traces::lives);
  }

  @Test
  void anAgentThatIsKilledFindsItsMemberAgain() throws Exception {
    Gate gate = Gate.in(folder, "adopted");
    stack.post(gang("adopted", 1, gate.await()));
    process("adopted", 0, 1);
    process("adopted", 1, 1);
    RequestStatus running = stack.statuses().await("adopted", RequestState.RUNNING);

    Child agent = agentOf(running.members().get(1).host());
    long killed = agent.pid().orElseThrow();
    agent.kill();
    agent.awaitAnother(killed, StatusLog.PATIENCE);
    gate.open();

    RequestStatus end = stack.statuses().awaitEnd("adopted");
    assertThat(end.state()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(end.attempt()).isEqualTo(1);
  }

  @Test
  void aHostThatIsLostTakesTheOthersAlongAndAllOfItIsTriedAgain() throws Exception {
    stack.post(gang("lost", 1, "[ $STOKER_ATTEMPT = 2 ] || sleep 1000"));
    ProcessHandle rank0 = process("lost", 0, 1);
    ProcessHandle rank1 = process("lost", 1, 1);
    RequestStatus running = stack.statuses().await("lost", RequestState.RUNNING);
    String host = running.members().get(1).host();

    Child agent = agentOf(host);
    agent.pause();
    RequestStatus end;
    try {
      end = stack.statuses().awaitEnd("lost");
    } finally {
      agent.resume();
    }

    assertThat(end.state()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(end.attempt()).isEqualTo(2);
    assertThat(end.members()).extracting(Member::host).doesNotContain(host);
    assertThat(List.of(rank0, rank1)).noneMatch(Traces::lives);
    // It may be placed again before a status says that it is in line.
    assertThat(
            new Rest(stack)
                .json("/requests/lost/details")
                .path("attempts")
                .findValuesAsText("reason"))
        .anySatisfy(reason -> assertThat(reason).contains("host " + host + " was lost"));
    await("the host to be back")
        .atMost(StatusLog.PATIENCE)
        .pollInterval(Duration.ofMillis(250))
        .until(
            () -> stack.database().one("select state from host where id = ?", host), "UP"::equals);
    stoker("uncordon", host); // nothing is to be held against it
  }

  @Test
  void aPreemptibleGangMakesRoomForWhatIsMoreUrgent() throws Exception {
    stack.post(
        gang("gives", 2, "[ $STOKER_ATTEMPT = 2 ] || sleep 1000").with("preemptible", true),
        onAHost("firm", 0, "sleep 1000"));
    stack.statuses().await("gives", RequestState.RUNNING);
    stack.statuses().await("firm", RequestState.RUNNING);

    Gate gate = Gate.in(folder, "urgent");
    stack.post(onAHost("urgent", 5, gate.await()));

    RequestStatus gave =
        stack
            .statuses()
            .await(
                "gives",
                status -> status.state() == RequestState.QUEUED && status.code() == Code.PREEMPTED,
                "having made room");
    assertThat(gave.reason())
        .isEqualTo("preempted for request urgent, which has the higher priority 5");
    gate.open();
    assertThat(stack.statuses().awaitEnd("urgent").state()).isEqualTo(RequestState.SUCCEEDED);
    RequestStatus end = stack.statuses().awaitEnd("gives");
    assertThat(end.state()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(end.attempt()).isEqualTo(2);
    stoker("cancel", "firm");
    stack.statuses().awaitEnd("firm");
  }

  @Test
  void roomThatIsMadeIsHeldThroughACrash() throws Exception {
    // If it begins once more, it is not slow any more.
    Gate end = Gate.in(folder, "slow-ends");
    String slowToEnd =
        "[ -e '%1$s' ] && exec sleep 1000; trap 'touch %2$s' TERM; %3$s kill -KILL $$";
    Path told = folder.resolve("told");
    stack.post(
        onAHost("slow", 0, slowToEnd.formatted(end.file(), told, end.await()))
            .with("preemptible", true),
        onAHost("firm-1", 0, "sleep 1000"),
        onAHost("firm-2", 0, "sleep 1000"));
    for (String id : List.of("slow", "firm-1", "firm-2")) {
      stack.statuses().await(id, RequestState.RUNNING);
    }

    String whenItStarts = "date +%s%N > ";
    stack.post(onAHost("waiter", 5, whenItStarts + folder.resolve("waiter")));
    await("slow to be told").atMost(StatusLog.PATIENCE).until(() -> Files.exists(told));
    await("it to be said for whom")
        .atMost(StatusLog.PATIENCE)
        .until(() -> explained("waiter").contains("waits for slow to end, which it preempts"));
    Child dispatcher = stack.processes().child("dispatcher-1");
    long killed = dispatcher.pid().orElseThrow();
    dispatcher.kill();
    stack.post(onAHost("rival", 9, whenItStarts + folder.resolve("rival")));
    dispatcher.awaitAnother(killed, StatusLog.PATIENCE);
    stack.processes().awaitServing(dispatcher, StatusLog.PATIENCE);
    stack.statuses().await("rival", RequestState.QUEUED);
    end.open();

    for (String id : List.of("waiter", "rival")) {
      assertThat(stack.statuses().awaitEnd(id).state()).isEqualTo(RequestState.SUCCEEDED);
    }
    assertThat(nanos("waiter")).as("it was made for it").isLessThan(nanos("rival"));
    // If the rival came late, slow ran again and made room for it, too: the pass after it ends
    // that.
    await("nothing to be held")
        .atMost(StatusLog.PATIENCE)
        .until(() -> stack.database().column("select job from hold").isEmpty());
    stoker("cancel", "slow", "firm-1", "firm-2");
    for (String id : List.of("slow", "firm-1", "firm-2")) {
      stack.statuses().awaitEnd(id);
    }
  }

  private String explained(String id) throws Exception {
    return new Rest(stack).get("/explain/" + id);
  }

  /** Takes all slots of one host. */
  private static Posted onAHost(String id, int priority, String script) {
    return Posted.script(id, script + " # " + id)
        .with("priority", priority)
        .with("resources", Map.of("cpus", 2));
  }

  private long nanos(String id) throws IOException {
    return Long.parseLong(Files.readString(folder.resolve(id)).strip());
  }

  private Child agentOf(String host) {
    return stack.processes().child("agent-" + host);
  }

  private String state(String id) {
    RequestStatus last = stack.statuses().newest().get(id);
    return last == null ? "" : last.state().name();
  }

  private String stoker(String... arguments) throws Exception {
    return new CommandLine(folder, stack).output(arguments);
  }
}
