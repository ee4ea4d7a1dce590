package io.stoker.agent.runner;

import static io.stoker.common.fixture.APlace.aPlace;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Input.Cause;
import io.stoker.agent.attempt.Input.Exited;
import io.stoker.agent.attempt.Input.NotStarted;
import io.stoker.agent.container.ContainerRunner;
import io.stoker.agent.container.ContainerSettings;
import io.stoker.agent.container.ContainerSettings.GpuOption;
import io.stoker.agent.container.ContainerSettings.Pull;
import io.stoker.agent.device.Allocation;
import io.stoker.common.fixture.APlace;
import io.stoker.common.fixture.Podman;
import io.stoker.common.state.FailureCategory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Containers of a real engine: what a stand-in cannot show. */
@Timeout(300)
class PodmanTest {
  private static Podman podman;

  @TempDir Path data;
  @TempDir Path folder;
  private RunnerFixture host;

  @BeforeAll
  static void install(@TempDir Path storage) throws Exception {
    podman = Podman.in(storage);
  }

  @AfterAll
  static void remove() throws Exception {
    if (podman != null) {
      podman.close();
    }
  }

  @BeforeEach
  void start() throws IOException {
    host = RunnerFixture.unstarted(data);
    ContainerSettings settings =
        new ContainerSettings(
            podman.cli().toString(),
            4,
            GpuOption.CDI,
            Pull.MISSING,
            Optional.empty(),
            OptionalLong.empty(),
            OptionalDouble.empty(),
            List.of(folder),
            List.of("--network=host"));
    host.startRunners(List.of(context -> new ContainerRunner(context, settings)));
  }

  @AfterEach
  void stop() throws Exception {
    host.close();
    podman.removeContainers();
  }

  /** What follows its log is told a part of this, and that all is well. */
  @Test
  void outputOfAFastWriter_isReadWhole() throws Exception {
    int lines = 200_000;
    AttemptKey key =
        launch(aPlace("a").command("sh", "-c", "seq 1 " + lines + "; echo '#stoker:result 7'"));

    Exited exited = host.next(Exited.class);

    assertThat(exited.end().result().orElseThrow().intValue()).isEqualTo(7);
    List<String> written = Files.readAllLines(data.resolve("runs/" + key + "/stdout"));
    List<String> all = IntStream.rangeClosed(1, lines).mapToObj(Integer::toString).toList();
    assertThat(new HashSet<>(written).containsAll(all)).as("%s lines", written.size()).isTrue();
    assertThat(written).last().isEqualTo("#stoker:result 7");
  }

  /** On control groups of version 1 podman says that it was not. */
  @Test
  void whatOutgrowsItsLimit_ranOutOfMemory() throws Exception {
    launch(aPlace("a").command("tail", "-c", "90000000", "/dev/zero").memory(40_000_000L));

    Exited exited = host.next(Exited.class);

    assertThat(exited.end().exitCode()).hasValue(137);
    assertThat(exited.end().category()).contains(FailureCategory.HOST_OOM);
    assertThat(exited.end().note()).contains("its container outgrew its 40000000 bytes of memory");
  }

  @Test
  void aRegistryThatRefuses_isNoEngineThatIsAway() throws Exception {
    host.runners.start(aPlace("a").command("true").image("localhost:1/none:1").build(), none(), 1);

    NotStarted told = host.next(NotStarted.class);

    assertThat(told.reason()).contains("connection refused").contains("localhost:1/none:1");
    assertThat(told.cause()).isEqualTo(Cause.LAUNCH);
  }

  @Test
  void aWorkFolderMayHaveACommaAndAQuoteInItsName() throws Exception {
    Path work = Files.createDirectory(folder.resolve("a, b \"c\""));
    launch(aPlace("a").command("sh", "-c", "echo here >file").workdir(work.toString()));

    assertThat(host.next(Exited.class).end().exitCode()).hasValue(0);
    assertThat(work.resolve("file")).hasContent("here");
  }

  private AttemptKey launch(APlace place) {
    host.runners.start(place.image(Podman.IMAGE).build(), none(), 1);
    return new AttemptKey("a", 1);
  }

  private static Allocation none() {
    return new Allocation("a-1", List.of(), false, OptionalLong.empty(), 1);
  }
}
