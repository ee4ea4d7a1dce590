package io.stoker.agent.runner;

import static io.stoker.common.fixture.APlace.aPlace;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Input.Cause;
import io.stoker.agent.attempt.Input.Exited;
import io.stoker.agent.attempt.Input.NotStarted;
import io.stoker.agent.attempt.Input.Started;
import io.stoker.agent.device.Allocation;
import io.stoker.agent.secret.CommandSource;
import io.stoker.agent.secret.HostSecrets;
import io.stoker.agent.secret.HostSecrets.HostSecret;
import io.stoker.agent.secret.SecretSource;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.message.Workload.Claim;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Secrets of the host in the environment of jobs, and what jobs print of them. */
@Timeout(300)
class GivenSecretsTest {
  private static final String VALUE = "s3cr3t-value";

  /** For commands that end by themselves, however busy the machine is. */
  private static final Duration SOON = Duration.ofSeconds(60);

  @TempDir Path data;
  @TempDir Path host;
  private RunnerFixture fixture;

  @BeforeEach
  void start() throws IOException {
    Files.writeString(host.resolve("hf"), VALUE + "\n");
    fixture = RunnerFixture.unstarted(data);
    fixture.secrets =
        new HostSecrets(
            Map.of(
                "hf",
                new HostSecret(SecretSource.file(host.resolve("hf")), Set.of("research")),
                "gone",
                new HostSecret(SecretSource.file(host.resolve("gone")), Set.of("*"))));
    fixture.startRunner();
  }

  @AfterEach
  void stop() {
    fixture.close();
  }

  private static Place asking(String secret, String queue, String script) {
    return aPlace("a")
        .command("sh", "-c", script)
        .claim(
            new Claim(
                Optional.empty(),
                Optional.of(queue),
                Optional.empty(),
                Map.of("TOKEN", secret),
                false))
        .build();
  }

  @Test
  void launch_withASecret_givesItAndHidesItWhereItIsPrinted() throws Exception {
    fixture.launch(
        asking(
            "hf",
            "research",
            "test \"$TOKEN\" = %s || exit 9; echo $TOKEN; echo last $TOKEN >&2; ".formatted(VALUE)
                + "echo \"\\\"$TOKEN\\\"\" >$STOKER_RESULT; exit 3"));
    Exited exited = fixture.next(Exited.class);

    assertThat(exited.end().exitCode()).hasValue(3);
    assertThat(exited.end().note()).hasValue("last ************");
    assertThat(exited.end().result().orElseThrow().textValue()).isEqualTo("************");
    assertThat(fixture.output()).contains("************\n").doesNotContain(VALUE);
  }

  @Test
  void adopt_afterTheAgentsRestart_stillHidesIt() throws Exception {
    Place place =
        asking("hf", "research", "until [ -e gate ]; do sleep 0.05; done; echo late $TOKEN");
    fixture.launch(place);
    Started started = fixture.next(Started.class);
    fixture.runner.close();
    fixture.startRunner();
    fixture.runner.adopt(place, Optional.of(started.process()), 1);
    Files.createFile(data.resolve("runs/a-1/work/gate"));
    fixture.next(Exited.class);

    assertThat(fixture.output()).contains("late ************").doesNotContain(VALUE);
  }

  @Test
  void launch_afterASecretHasChanged_hidesWhatRunsStillHaveAndNoMore() throws Exception {
    Path gate = data.resolve("gate");
    AttemptKey first =
        fixture.launch(
            asking("hf", "research", "until [ -e %s ]; do sleep 0.05; done".formatted(gate)));
    fixture.next(Started.class);
    Files.writeString(host.resolve("hf"), "another-one\n");

    fixture.sh("b", "echo b: %s another-one".formatted(VALUE));
    fixture.next(Exited.class);
    assertThat(fixture.output()).contains("b: ************ ***********");

    Files.createFile(gate);
    fixture.next(Exited.class);
    fixture.runner.remove(first);
    fixture.sh("c", "echo c: %s another-one".formatted(VALUE));
    fixture.next(Exited.class);
    assertThat(fixture.output()).contains("c: " + VALUE + " ***********");
  }

  @Test
  void launch_withWhatTheHostDoesNotGive_saysWhyAndByWhichKey() throws Exception {
    assertThat(refused("none", "research"))
        .isEqualTo(
            "env.TOKEN asks for secret none, and this host has none of that name: see"
                + " stoker.agent.secrets.none");
    assertThat(refused("hf", "other"))
        .isEqualTo(
            "env.TOKEN asks for secret hf, which this host does not give to queue other: see"
                + " stoker.agent.secrets.hf.queues");
    assertThat(refused("gone", "research"))
        .isEqualTo(
            "env.TOKEN asks for secret gone, which cannot be read: there is no "
                + host.resolve("gone"));
  }

  private String refused(String secret, String queue) throws Exception {
    fixture.launch(asking(secret, queue, "true"));
    NotStarted told = fixture.next(NotStarted.class);
    assertThat(told.cause()).isEqualTo(Cause.LAUNCH);
    return told.reason();
  }

  @Test
  void read_ofACommand_isWhatItPrintsOrWhyItPrintsNothing() throws Exception {
    assertThat(printing(SOON, "echo", "from a vault").read()).isEqualTo("from a vault");
    String lines = "x".repeat(99) + "\n";
    assertThat(printing(SOON, "sh", "-c", "yes " + lines.strip() + " | head -n 1200").read())
        .as("more than a pipe holds")
        .isEqualTo(lines.repeat(1_200).strip());
    SecretSource failing = printing(SOON, "sh", "-c", "echo half; exit 4");
    assertThat(catchThrowable(failing::read)).hasMessage("sh ended with exit code 4");
    SecretSource slow = printing(Duration.ofSeconds(1), "sh", "-c", "sleep 1000; true");
    await()
        .untilAsserted(
            () -> assertThat(catchThrowable(slow::read)).hasMessage("sh has not ended within 1 s"));
    SecretSource endless = printing(SOON, "yes");
    assertThat(catchThrowable(endless::read)).hasMessage("yes prints more than 122880 bytes");
  }

  @Test
  void read_ofACommandThatLeavesAProcessBehind_doesNotWaitForIt() throws Exception {
    String left = "sleep 1000 & echo $!";
    SecretSource source = printing(SOON, "sh", "-c", left);
    ProcessHandle process = ProcessHandle.of(Long.parseLong(source.read())).orElseThrow();
    assertThat(process.isAlive()).isTrue();
    process.destroyForcibly();
  }

  private static SecretSource printing(Duration patience, String... command) {
    return new CommandSource("a", List.of(command), Duration.ofDays(1), patience);
  }

  @Test
  void start_ofACommandWhereKindsAloneRun_isRefusedByItsKey() throws Exception {
    fixture.commands = false;
    fixture.startRunners(List.of());
    fixture.runners.start(aPlace("a").command("true").build(), none("a-1"), 1);

    NotStarted told = fixture.next(NotStarted.class);
    assertThat(told.cause()).isEqualTo(Cause.LAUNCH);
    assertThat(told.reason()).contains("configured kinds only", "stoker.agent.allow-commands");

    Claim kind =
        new Claim(Optional.of("train"), Optional.empty(), Optional.empty(), Map.of(), false);
    fixture.runners.start(aPlace("b").command("true").claim(kind).build(), none("b-1"), 1);
    assertThat(fixture.next(Exited.class).end().exitCode()).hasValue(0);
  }

  private static Allocation none(String run) {
    return new Allocation(run, List.of(), false, OptionalLong.empty(), 1);
  }
}
