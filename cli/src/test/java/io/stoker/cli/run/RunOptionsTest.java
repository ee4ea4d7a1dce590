package io.stoker.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.request.Dedup;
import io.stoker.common.request.JobRequest;
import io.stoker.common.request.RequestParser;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RunOptionsTest {
  private static final List<String> COMMAND = List.of("sh", "-c", "exit 7");

  @Test
  void aCommandAloneIsAValidRequestThatAlwaysRuns() throws Exception {
    JobRequest request = parse(options(Optional.empty(), Optional.empty()));

    assertThat(request.command()).isEqualTo(COMMAND);
    assertThat(request.dedup()).isInstanceOf(Dedup.Always.class);
    assertThat(request.workdir()).isEmpty();
    assertThat(request.resources().gpus()).isZero();
  }

  @Test
  void memoryAsksForAGpuToo() throws Exception {
    JobRequest request = parse(options(Optional.empty(), Optional.of("6GiB")));

    assertThat(request.resources().gpus()).isEqualTo(1);
  }

  @Test
  void everyOptionFindsItsField() throws Exception {
    JobRequest request =
        parse(
            new RunOptions(
                COMMAND,
                Optional.of("/srv"),
                Optional.of(2),
                Optional.empty(),
                Optional.of(4),
                Optional.of("q"),
                Optional.of(-5),
                Optional.of("90s"),
                Optional.of("g"),
                true));

    assertThat(request.workdir()).contains("/srv");
    assertThat(request.resources().gpus()).isEqualTo(2);
    assertThat(request.resources().hosts()).isEqualTo(4);
    assertThat(request.queue()).isEqualTo("q");
    assertThat(request.priority()).isEqualTo(-5);
    assertThat(request.timeout()).contains(Duration.ofSeconds(90));
    assertThat(request.group()).contains("g");
    assertThat(request.preemptible()).isTrue();
  }

  private static RunOptions options(Optional<Integer> gpus, Optional<String> gpuMemory) {
    return new RunOptions(
        COMMAND,
        Optional.empty(),
        gpus,
        gpuMemory,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        false);
  }

  private static JobRequest parse(RunOptions options) throws Exception {
    return RequestParser.parse(options.request("r"), Optional.empty());
  }
}
