package io.stoker.e2e.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.local.HostKey;
import io.stoker.cli.local.StackSettings;
import io.stoker.cli.stack.StackOptions;
import io.stoker.cli.stack.child.Child;
import io.stoker.cli.stack.child.ChildSpec;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.HostMessage;
import io.stoker.common.message.HostMessage.Heartbeat;
import io.stoker.common.message.HostMessage.Hello;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.security.Macs;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.stack.BesideTheSharedStack;
import io.stoker.e2e.stack.CommandLine;
import io.stoker.e2e.stack.Posted;
import io.stoker.e2e.stack.Rest;
import io.stoker.e2e.stack.StatusLog;
import io.stoker.e2e.stack.StokerStack;
import io.stoker.e2e.stack.TopicLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Who else speaks for a host: a second agent of its name, and whoever says again what it said. */
@Timeout(1_200)
@BesideTheSharedStack
class TwinsTest {
  private static final String HOST = "host-1";
  private static final Duration PATIENCE = StatusLog.PATIENCE;

  /** An agent that starts again while much else does is back within it. */
  private static final Duration LEASE = Duration.ofSeconds(20);

  private static final int JOBS = 4;

  @TempDir Path folder;

  private Marks marks;

  @Test
  void ofTwoAgentsOfOneNameOneIsRefusedAndSaysSoAndNoJobRunsTwice() throws Exception {
    try (StokerStack stack = start("twins")) {
      List<String> ids = run(stack);
      long epoch = epoch(stack);
      ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
      Child twin = twin(stack, timer);
      twin.start();
      try {
        await("the twin to be shown").atMost(PATIENCE).until(() -> host(stack).has("rival"));
        assertThat(host(stack).at("/rival/reason").asText())
            .startsWith("host name host-1 is used by another agent");
        CommandLine cli = new CommandLine(folder, stack);
        assertThat(cli.output("hosts")).contains("its name is asked for by another agent");
        assertThat(cli.exitCode("doctor")).isEqualTo(1);
        assertThat(Files.readString(cli.out())).contains("host host-1: its name is asked for");
        await("the twin to say so")
            .atMost(PATIENCE)
            .until(() -> Files.readString(twin.spec().log()).contains("not welcome: host name"));
        assertThat(Files.readString(stack.processes().child("dispatcher-1").spec().log()))
            .contains("is not welcome: host name host-1 is used by another agent");
        open();
        succeedAtOnce(stack, ids);
        assertThat(epoch(stack)).as("epochs do not climb").isEqualTo(epoch);

        stack.processes().child("agent-" + HOST).stop(); // in order, so it says goodbye
        await("the twin to have the name").atMost(PATIENCE).until(() -> epoch(stack) == epoch + 1);
      } finally {
        twin.stop();
        timer.shutdownNow();
      }
    }
  }

  @Test
  void aRecordedHelloThatIsSentAgainChangesNothing() throws Exception {
    try (StokerStack stack = start("replayed");
        TopicLog<ConsumerRecord<String, byte[]>> said = said(stack)) {
      // What an earlier start of the agent has said.
      Child agent = stack.processes().child("agent-" + HOST);
      long killed = agent.pid().orElseThrow();
      long first = epoch(stack);
      agent.kill();
      agent.awaitAnother(killed, PATIENCE);
      await("the next start").atMost(PATIENCE).until(() -> epoch(stack) > first);
      List<ConsumerRecord<String, byte[]>> hellos =
          said.await(PATIENCE, TwinsTest::hellos, () -> "no hello was heard");
      List<String> ids = run(stack);
      // A start whose welcome came too late has said hello once more.
      long epoch = epoch(stack);
      int before = said.all().size();

      for (int i = 0; i < 5; i++) {
        hellos.forEach(
            one ->
                stack.producer().send(new ProducerRecord<>(one.topic(), one.key(), one.value())));
      }
      stack.producer().flush();

      said.await(
          PATIENCE,
          all -> beats(all.subList(before, all.size())) > 10 ? true : null,
          () -> "the agent is not heard any more");
      assertThat(host(stack).path("openAttempts").asInt()).isEqualTo(JOBS);
      open();
      succeedAtOnce(stack, ids);
      assertThat(epoch(stack)).isEqualTo(epoch);
    }
  }

  @Test
  void aKeyThatIsRotatedAndThenRevokedWhileJobsRun_endsNoneAndRunsNoneTwice() throws Exception {
    try (StokerStack stack = start("keys");
        TopicLog<ConsumerRecord<String, byte[]>> said = said(stack)) {
      List<String> ids = run(stack);
      CommandLine cli = new CommandLine(folder, stack);
      assertThat(cli.output("hosts", "rotate-key", HOST)).isEqualTo(HOST + " 1\n");
      awaitSignedWith(stack, said, 1);

      new Rest(stack).post("/hosts/" + HOST + "/revoke-key", "");
      await("the host to be held")
          .atMost(PATIENCE)
          .until(() -> host(stack).path("state").asText().equals("HELD"));
      open();
      await("the jobs to end unheard").atMost(PATIENCE).until(() -> ends() == JOBS);
      restartTheDispatcher(stack);
      // For longer than the lease of a host of which the new one hears nothing.
      await("the host to be held still, of which the new one hears no message that it believes")
          .atMost(PATIENCE)
          .during(LEASE.multipliedBy(2))
          .ignoreExceptions()
          .until(() -> host(stack).path("state").asText().equals("HELD"));
      ids.forEach(
          id ->
              assertThat(stack.statuses().newest().get(id).state())
                  .isEqualTo(RequestState.RUNNING));

      HostKey.give(stack.data(), HOST, secret(stack), 2);
      succeedAtOnce(stack, ids);
      awaitSignedWith(stack, said, 2);
      stack.post(Posted.script("under-the-newest-key", "true"));
      assertThat(stack.statuses().awaitEnd("under-the-newest-key").state())
          .isEqualTo(RequestState.SUCCEEDED);
      await("the host to be up")
          .atMost(PATIENCE)
          .until(() -> host(stack).path("state").asText().equals("UP"));
    }
  }

  private static void restartTheDispatcher(StokerStack stack) throws Exception {
    Child dispatcher = stack.processes().child("dispatcher-1");
    long killed = dispatcher.pid().orElseThrow();
    dispatcher.kill();
    dispatcher.awaitAnother(killed, PATIENCE);
  }

  private long ends() throws IOException {
    return marks.all().values().stream()
        .flatMap(List::stream)
        .filter(mark -> mark.is("end"))
        .count();
  }

  private static String secret(StokerStack stack) throws IOException {
    return StackSettings.read(stack.data()).orElseThrow().hostSecret();
  }

  private static void awaitSignedWith(
      StokerStack stack, TopicLog<ConsumerRecord<String, byte[]>> said, int generation)
      throws IOException {
    byte[] key = Macs.hostKey(HexFormat.of().parseHex(secret(stack)), HOST, generation);
    said.await(
        PATIENCE,
        all -> all.stream().anyMatch(one -> isSigned(key, one)) ? true : null,
        () -> "nothing is signed with the key of generation " + generation);
  }

  private static boolean isSigned(byte[] key, ConsumerRecord<String, byte[]> record) {
    try {
      return Macs.verify(key, Json.read(record.value()));
    } catch (MalformedJson e) {
      throw new AssertionError("an agent wrote what nobody can read", e);
    }
  }

  /** Null while there are none. */
  private static List<ConsumerRecord<String, byte[]>> hellos(
      List<ConsumerRecord<String, byte[]>> records) {
    List<ConsumerRecord<String, byte[]>> hellos =
        records.stream().filter(one -> message(one) instanceof Hello).toList();
    return hellos.isEmpty() ? null : hellos;
  }

  private static long beats(List<ConsumerRecord<String, byte[]>> records) {
    return records.stream().filter(one -> message(one) instanceof Heartbeat).count();
  }

  private static HostMessage message(ConsumerRecord<String, byte[]> record) {
    try {
      return Json.read(record.value(), HostMessage.class);
    } catch (MalformedJson e) {
      throw new AssertionError("an agent wrote what nobody can read", e);
    }
  }

  private static TopicLog<ConsumerRecord<String, byte[]>> said(StokerStack stack) {
    return new TopicLog<>(
        stack.processes().info().kafka(), stack.topics().heartbeats(), record -> record);
  }

  /** Another agent of the host's name, with a folder of its own. */
  private Child twin(StokerStack stack, ScheduledExecutorService timer) throws IOException {
    ChildSpec original = stack.processes().child("agent-" + HOST).spec();
    Map<String, String> environment = new HashMap<>(original.environment());
    environment.put("STOKER_AGENT_DATA", folder.resolve("twin").toString());
    ChildSpec spec =
        ChildSpec.of(
            "twin",
            original.role(),
            original.command(),
            environment,
            Files.createDirectory(folder.resolve("twin-work")),
            folder.resolve("twin.log"),
            original.stop().grace());
    return new Child(
        spec,
        timer,
        new Child.Watcher() {
          @Override
          public void changed(Child child) {}

          @Override
          public void said(Child child, String what) {}
        });
  }

  private StokerStack start(String name) throws Exception {
    marks = new Marks(Files.createDirectory(folder.resolve("marks")));
    Map<String, String> agent = new HashMap<>(StokerStack.WITHOUT_GPUS);
    agent.put("STOKER_AGENT_CPU_SLOTS", Integer.toString(JOBS));
    StokerStack stack =
        StokerStack.start(
            name,
            StackOptions.DEFAULT
                .withAgentEnvironment(agent)
                .withDispatcherEnvironment(
                    Map.of(
                        "STOKER_LEASE_DURATION", LEASE.toSeconds() + "s",
                        "STOKER_LEASE_MARGIN", "5s",
                        "STOKER_LEASE_HEARTBEAT", "1s",
                        "STOKER_LEASE_INVENTORY", "5s")));
    await("the host").atMost(PATIENCE).until(() -> stack.database().column(UP).size() == 1);
    return stack;
  }

  private static final String UP = "select id from host where state = 'UP'";

  /** Posts jobs that run until they are let go, and waits until all of them do. */
  private List<String> run(StokerStack stack) {
    List<String> ids = IntStream.range(0, JOBS).mapToObj(i -> "one-" + i).toList();
    for (String id : ids) {
      stack.post(
          Posted.script(
              id,
              marks.noting()
                  + "note start; until [ -e '%s' ]; do sleep 0.2; note beat; done; note end # %s"
                      .formatted(folder.resolve("gate"), id)));
    }
    ids.forEach(id -> stack.statuses().await(id, RequestState.RUNNING));
    return ids;
  }

  private void open() throws IOException {
    Files.createFile(folder.resolve("gate"));
  }

  private void succeedAtOnce(StokerStack stack, List<String> ids) throws IOException {
    for (String id : ids) {
      RequestStatus end = stack.statuses().awaitEnd(id);
      assertThat(end.state()).as(id + ": " + end.reason()).isEqualTo(RequestState.SUCCEEDED);
      assertThat(end.attempt()).as(id).isEqualTo(1);
      assertThat(marks.of(end.job()).stream().filter(mark -> mark.is("start"))).hasSize(1);
    }
    assertThat(marks.overlaps()).isEmpty();
  }

  private static JsonNode host(StokerStack stack) throws Exception {
    return new Rest(stack).json("/hosts").path("hosts").path(0);
  }

  private static long epoch(StokerStack stack) throws Exception {
    return Long.parseLong(
        stack.database().one("select cast(epoch as text) from host where id = ?", HOST));
  }
}
