package io.stoker.e2e.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.stack.StackOptions;
import io.stoker.cli.stack.child.Child;
import io.stoker.common.json.Json;
import io.stoker.common.message.ControlMessage;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.stack.BesideTheSharedStack;
import io.stoker.e2e.stack.CommandLine;
import io.stoker.e2e.stack.Posted;
import io.stoker.e2e.stack.Rest;
import io.stoker.e2e.stack.StatusLog;
import io.stoker.e2e.stack.StokerStack;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.assertj.core.api.ThrowingConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The database is lost and put back as it was a while ago, with jobs running all along: what it
 * knew runs on, what it did not know is ended before it runs again, and nothing is placed before
 * every host has come to an end with that: one by its hello, one by its silence, one on the word of
 * people.
 */
@Timeout(1_200)
@BesideTheSharedStack
class RestoreTest {
  private static final Duration PATIENCE = StatusLog.PATIENCE.multipliedBy(2);

  private static final List<String> DISPATCHERS = List.of("dispatcher-1", "dispatcher-2");

  @TempDir Path folder;

  /** What each job wrote as it first began. */
  private final Map<String, String> began = new HashMap<>();

  private StokerStack stack;
  private CommandLine cli;

  /** Runs until its gate is open; the lock is held as long as anybody of it lives. */
  private Posted job(String id, String host) {
    List<String> others = new ArrayList<>(List.of("host-1", "host-2", "host-3"));
    others.remove(host);
    return Posted.script(
            id,
            """
            exec 9>>%1$s.lock
            flock -n 9 || echo twice >>%1$s.marks
            echo begin $STOKER_ATTEMPT >>%1$s.marks
            until [ -e %1$s.gate ]; do sleep 0.1; done
            [ ! -e %1$s.fails ] || exit 1
            echo end >>%1$s.marks
            """
                .formatted(folder.resolve(id)))
        .with("resources", Map.of("type", "cpu", "avoid", others));
  }

  private Path file(String id, String kind) {
    return folder.resolve(id + "." + kind);
  }

  private List<String> marks(String id) throws IOException {
    Path marks = file(id, "marks");
    return Files.exists(marks) ? Files.readAllLines(marks) : List.of();
  }

  private void open(String id) throws IOException {
    Files.createFile(file(id, "gate"));
  }

  /**
   * Waits until each of them runs, and notes how it began. On a host that is short of time an
   * attempt may be lost before its job begins, so the first that begins need not be number 1.
   */
  private void awaitRunning(String... ids) {
    for (String id : ids) {
      stack.statuses().await(id, RequestState.RUNNING);
      await(id + " to begin").atMost(PATIENCE).until(() -> marks(id).size() == 1);
    }
    for (String id : ids) {
      try {
        began.put(id, marks(id).getFirst());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private void awaitSuccess(String... ids) {
    for (String id : ids) {
      stack.statuses().await(id, RequestState.SUCCEEDED);
    }
  }

  private void cancel(String id) {
    ControlMessage message = new ControlMessage.Cancel("cancel-" + id, id, "changed my mind");
    stack.producer().send(new ProducerRecord<>(stack.topics().control(), id, Json.bytes(message)));
    stack.producer().flush();
  }

  private void retry(String id, String as) {
    ControlMessage message = new ControlMessage.Retry("retry-" + id, id, as);
    stack.producer().send(new ProducerRecord<>(stack.topics().control(), id, Json.bytes(message)));
    stack.producer().flush();
  }

  @Test
  void whatIsLostIsMadeUpForAndNothingRunsTwiceAtOnce() throws Exception {
    // What runs on must outlive a hello that waits long for its answer on a machine short of time.
    Map<String, String> dispatchers =
        Map.of("STOKER_LEASE_DURATION", "45s", "STOKER_LEASE_MARGIN", "6s");
    Map<String, String> cutOff = new HashMap<>(StokerStack.WITHOUT_GPUS);
    cutOff.put("STOKER_AGENT_PARTITION", "keep-running");
    try (StokerStack started =
        StokerStack.start(
            "restore",
            StackOptions.DEFAULT
                .withDispatchers(2)
                .withHosts(3)
                .withAgentEnvironment(new HashMap<>(StokerStack.WITHOUT_GPUS))
                .withEnvironments(Map.of("agent-host-3", cutOff))
                .withDispatcherEnvironment(dispatchers))) {
      stack = started;
      cli = new CommandLine(folder, stack);
      Child silent = stack.processes().child("agent-host-2");
      Child dead = stack.processes().child("agent-host-3");
      try {
        restore(silent, dead);
      } finally {
        silent.resume();
        dead.resume();
      }
    }
  }

  private void restore(Child silent, Child dead) throws Exception {
    stack.post(
        job("over-before", "host-1"),
        job("runs-on", "host-1"),
        job("ends-after", "host-1"),
        job("cancelled-after", "host-1"),
        job("on-silent", "host-2"));
    awaitRunning("over-before", "runs-on", "ends-after", "cancelled-after", "on-silent");
    open("over-before");
    awaitSuccess("over-before");
    // In the slot that has become free: a host has four.
    stack.post(job("fails-after", "host-1"));
    awaitRunning("fails-after");

    Path backup = folder.resolve("backup.zip");
    JsonNode taken = Json.read(cli.output("backup", backup.toString(), "--json"));
    assertThat(taken.path("rows").asLong()).isGreaterThan(10);

    cli.output("hosts", "rotate-key", "host-1");
    awaitNextKey("host-1");
    open("ends-after");
    awaitSuccess("ends-after");
    Files.createFile(file("fails-after", "fails"));
    open("fails-after");
    stack.statuses().await("fails-after", RequestState.FAILED);
    Files.delete(file("fails-after", "fails"));
    retry("fails-after", "retried");
    awaitSuccess("retried");
    cancel("cancelled-after");
    stack.statuses().await("cancelled-after", RequestState.CANCELLED);
    stack.post(
        job("new-running", "host-1"),
        job("new-over", "host-3"),
        job("new-waits", "host-1").dependingOn("runs-on"));
    awaitRunning("new-running", "new-over");
    open("new-over");
    awaitSuccess("new-over");
    stack.statuses().await("new-waits", RequestState.WAITING);
    cli.output("hosts", "revoke-key", "host-1", "--generation", "0");

    assertThat(cli.exitCode("restore", backup.toString(), "--force")).isEqualTo(1);
    assertThat(Files.readString(cli.err()))
        .contains("dispatchers are running", "stoker-dispatcher");

    DISPATCHERS.forEach(name -> stack.processes().child(name).stop());
    silent.pause();
    dead.pause();
    assertThat(cli.exitCode("restore", backup.toString())).isEqualTo(1);
    assertThat(Files.readString(cli.err())).contains("is not empty", "request");
    stack.database().change("drop schema public cascade");
    stack.database().change("create schema public");
    // As somebody does who takes it for new: nobody knows of it, and it waits like all others.
    stack.post(job("posted-while-away", "host-1"));

    JsonNode done = Json.read(cli.output("restore", backup.toString(), "--json"));
    assertThat(done.path("hosts").toString()).isEqualTo("[\"host-1\",\"host-2\",\"host-3\"]");
    assertThat(marks("new-running")).containsExactly(began.get("new-running"));
    DISPATCHERS.forEach(name -> stack.processes().child(name).start());

    nothingIsPlacedBeforeAllAreSettled();
    aKeyThatWasRevokedSinceStaysSo();
    cli.output("drain", "host-3", "--dead", "--reason", "burnt down");

    endsAsItMust();
  }

  /** What it signed with the key before is refused when it is read again, since that is revoked. */
  private void awaitNextKey(String host) {
    Path log = stack.processes().child("agent-" + host).spec().log();
    await("the agent to have its next key")
        .atMost(PATIENCE)
        .until(() -> Files.readString(log).contains("the host has another key from now on"));
  }

  /** The control topic is read again. */
  private void aKeyThatWasRevokedSinceStaysSo() throws Exception {
    await("the revocation to be read")
        .atMost(PATIENCE)
        .ignoreExceptions()
        .until(() -> get("/hosts/host-1").at("/key/oldest").asInt(-1) == 1);
  }

  private void nothingIsPlacedBeforeAllAreSettled() throws Exception {
    await("two hosts to be settled")
        .atMost(PATIENCE)
        .ignoreExceptions()
        .until(() -> unsettled().equals(List.of("host-3")));
    await("the request of since to be in line, and why")
        .atMost(PATIENCE)
        .ignoreExceptions()
        .untilAsserted(
            () -> {
              JsonNode why = explain("posted-while-away");
              assertThat(why.path("state").asText()).isEqualTo("QUEUED");
              assertThat(why.path("sentence").asText())
                  .contains("the database was restored", "host-3");
            });
    assertThat(stack.statuses().history("posted-while-away"))
        .allMatch(entry -> entry.status().state() == RequestState.QUEUED);
    assertThat(marks("posted-while-away")).isEmpty();
    assertThat(marks("on-silent")).containsExactly(began.get("on-silent"));
    assertThat(marks("new-running")).as("it was ended, and not begun again").hasSize(1);
    assertThat(cli.exitCode("doctor")).isEqualTo(1);
    assertThat(Files.readString(cli.out())).contains("host-3", "drain host-3 --dead");
  }

  private void endsAsItMust() throws Exception {
    // What runs there alone waits for them.
    stack.processes().child("agent-host-2").resume();
    stack.processes().child("agent-host-3").resume();
    cli.output("uncordon", "host-3");
    for (String id :
        List.of("runs-on", "on-silent", "new-running", "new-waits", "posted-while-away")) {
      open(id);
    }
    stack.statuses().awaitLasts(this::allOver, "not all have ended at last");

    for (String id : List.of("over-before", "runs-on", "ends-after")) {
      assertThat(marks(id)).as(id + " began once").containsExactly(began.get(id), "end");
    }
    assertThat(marks("fails-after"))
        .as("its retry is made again, which nobody knew")
        .satisfiesExactly(begins(), begins(), ends(), begins(), ends());
    assertThat(marks("cancelled-after")).containsExactly(began.get("cancelled-after"));
    assertThat(marks("new-running"))
        .as("nobody knew, and it was ended")
        .satisfiesExactly(begins(), begins(), ends());
    assertThat(marks("new-over"))
        .as("nobody knew")
        .satisfiesExactly(begins(), ends(), begins(), ends());
    for (String id : List.of("new-waits", "posted-while-away")) {
      assertThat(marks(id)).as(id + " began once").satisfiesExactly(begins(), ends());
    }
    List<String> again = marks("on-silent");
    assertThat(again).hasSize(3).startsWith(began.get("on-silent")).endsWith("end");
    assertThat(Integer.parseInt(again.get(1).substring("begin ".length())))
        .as("above all that may have been given")
        .isGreaterThan(1_000);
    assertThat(stack.deadLetters().all())
        .as(
            "what agents said of attempts that nobody knows, or under a key that was revoked since,"
                + " and were told in epochs of before")
        .allMatch(
            letter ->
                letter.reason().startsWith("no such job")
                    || letter.reason().equals("the record's mac is not of the key of host host-1")
                    || letter.topic().startsWith(stack.topics().placements("")));
  }

  private static ThrowingConsumer<String> begins() {
    return mark -> assertThat(mark).startsWith("begin ");
  }

  private static ThrowingConsumer<String> ends() {
    return mark -> assertThat(mark).isEqualTo("end");
  }

  private boolean allOver(Map<String, RequestStatus> lasts) {
    Map<String, RequestState> others =
        Map.of("cancelled-after", RequestState.CANCELLED, "fails-after", RequestState.FAILED);
    return lasts.size() == 11
        && lasts.values().stream()
            .allMatch(
                status ->
                    status.state() == others.getOrDefault(status.id(), RequestState.SUCCEEDED))
        && newest(lasts);
  }

  /** The topic's last status of each is what the database has. */
  private boolean newest(Map<String, RequestStatus> lasts) {
    try {
      Map<String, Long> versions = stack.database().versions();
      return lasts.values().stream()
          .allMatch(status -> Objects.equals(versions.get(status.id()), status.version()));
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private List<String> unsettled() throws Exception {
    List<String> hosts = new ArrayList<>();
    for (JsonNode host : get("/hosts").path("hosts")) {
      if (host.has("unsettled")) {
        hosts.add(host.path("host").asText());
      }
    }
    return hosts;
  }

  private JsonNode explain(String id) throws Exception {
    return get("/explain/" + id);
  }

  private JsonNode get(String path) throws Exception {
    return new Rest(stack).json(path);
  }
}
