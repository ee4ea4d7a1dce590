package io.stoker.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.stoker.cli.outcome.CliException;
import io.stoker.common.request.Dedup;
import io.stoker.common.request.JobRequest;
import io.stoker.common.request.RequestParser;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class RunOptionsTest {
  private static final List<String> COMMAND = List.of("sh", "-c", "exit 7");

  @Test
  void aCommandAloneIsAValidRequestThatAlwaysRuns() throws Exception {
    JobRequest request = parse(request(Optional.empty()));

    assertThat(request.command()).isEqualTo(COMMAND);
    assertThat(request.dedup()).isInstanceOf(Dedup.Always.class);
    assertThat(request.workdir()).isEmpty();
    assertThat(request.resources().gpus()).isZero();
  }

  @Test
  void memoryAsksForAGpuToo() throws Exception {
    JobRequest request = parse(request(Optional.empty(), "--gpu-memory", "6GiB"));

    assertThat(request.resources().gpus()).isEqualTo(1);
  }

  @Test
  void everyOptionFindsItsField() throws Exception {
    JobRequest request =
        parse(
            request(
                Optional.of("/srv"),
                "--gpus=2",
                "--hosts=4",
                "--cpus=3",
                "--memory=2GiB",
                "--queue=q",
                "--user=ann",
                "--priority=-5",
                "--timeout=90s",
                "--group=g",
                "--require=model=H200",
                "--label=team=vision",
                "--env=A=b=c",
                "--env=HERE",
                "--env=HF_TOKEN=@secret:hf",
                "--preemptible"));

    assertThat(request.workdir()).contains("/srv");
    assertThat(request.resources().gpus()).isEqualTo(2);
    assertThat(request.resources().hosts()).isEqualTo(4);
    assertThat(request.resources().require()).isEqualTo(Map.of("model", "H200"));
    assertThat(request.queue()).isEqualTo("q");
    assertThat(request.user()).contains("ann");
    assertThat(request.priority()).isEqualTo(-5);
    assertThat(request.timeout()).contains(Duration.ofSeconds(90));
    assertThat(request.group()).contains("g");
    assertThat(request.preemptible()).isTrue();
    assertThat(request.labels()).isEqualTo(Map.of("team", "vision"));
    assertThat(request.env()).isEqualTo(Map.of("A", "b=c", "HERE", "there"));
    assertThat(request.secrets()).isEqualTo(Map.of("HF_TOKEN", "hf"));
  }

  @Test
  void anImageHasItsOwnFolder() {
    ObjectNode request = request(Optional.of("/srv"), "--image", "bb:1");

    assertThat(request.path("image").asText()).isEqualTo("bb:1");
    assertThat(request.has("workdir")).isFalse();
  }

  @Test
  void whatIsReadHereIsGivenToTheCommand() throws Exception {
    ObjectNode request =
        options()
            .request(
                "r",
                List.of("sh", "-c", "cat; exit 3"),
                Optional.empty(),
                Optional.of("hé\n".getBytes(StandardCharsets.UTF_8)),
                Map.of());
    List<String> command = parse(request).command();
    ProcessBuilder process = new ProcessBuilder(command);
    request
        .path("env")
        .properties()
        .forEach(one -> process.environment().put(one.getKey(), one.getValue().asText()));

    Process ran = process.start();

    assertThat(new String(ran.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
        .isEqualTo("hé\n");
    assertThat(ran.waitFor()).isEqualTo(3);
  }

  @Test
  void whatIsTooLargeOrNotSetIsRefused() {
    byte[] large = new byte[RunOptions.MOST_INPUT + 1];
    assertThatThrownBy(
            () -> options().request("r", COMMAND, Optional.empty(), Optional.of(large), Map.of()))
        .isInstanceOf(CliException.class)
        .hasMessageContaining("larger than 90 KiB");
    assertThatThrownBy(() -> request(Optional.empty(), "--env", "NOT_SET"))
        .hasMessageContaining("--env is NOT_SET");
  }

  private static RunOptions options(String... arguments) {
    RunOptions options = new RunOptions();
    new CommandLine(options).parseArgs(arguments);
    return options;
  }

  private static ObjectNode request(Optional<String> folder, String... arguments) {
    return options(arguments)
        .request("r", COMMAND, folder, Optional.empty(), Map.of("HERE", "there"));
  }

  private static JobRequest parse(ObjectNode request) throws Exception {
    return RequestParser.parse(request, Optional.empty());
  }
}
