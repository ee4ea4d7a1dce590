package io.stoker.agent.container;

import static io.stoker.common.fixture.APlace.aPlace;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoker.agent.container.ContainerSettings.GpuOption;
import io.stoker.agent.container.ContainerSettings.Pull;
import io.stoker.agent.device.Allocation;
import io.stoker.common.message.ToAgent.Gang;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.message.Workload.Claim;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class CreateArgumentsTest {
  private static final CreateArguments.Folders INSIDE = folders("/d/runs/j-1/work");

  @Test
  void sayAllThatTheJobIsPromised() {
    assertThat(of(settings(GpuOption.GPUS), place(2, 4L << 30), gpus("0", "GPU-7"), INSIDE))
        .containsExactly(
            "create",
            "--name",
            "n",
            "--label",
            "stoker.owner=o",
            "--label",
            "stoker.run=j-1",
            "--pull",
            "never",
            "--user",
            "7:8",
            "--memory",
            "4294967296",
            "--memory-swap",
            "4294967296",
            "--shm-size",
            "1024",
            "--gpus",
            "\"device=0,GPU-7\"",
            "--mount",
            "type=bind,source=/d/runs/j-1,target=/d/runs/j-1,readonly",
            "--mount",
            "type=bind,source=/d/shared,target=/d/shared,readonly",
            "--mount",
            "type=bind,source=/d/runs/j-1/result.json,target=/d/runs/j-1/result.json",
            "--mount",
            "type=bind,source=/d/runs/j-1/work,target=/d/runs/j-1/work",
            "--workdir",
            "/d/runs/j-1/work",
            "--env-file",
            "/f",
            "--ipc=host",
            "img",
            "python3",
            "train.py");
  }

  @Test
  void noLimitIsTooLowForAContainerToBegin() {
    assertThat(of(settings(GpuOption.GPUS), place(0, 1L << 20), gpus(), INSIDE))
        .containsSubsequence("--memory", "33554432", "--memory-swap", "33554432");
  }

  @Test
  void gpusMayBeGivenByTheContainerDeviceInterface() {
    assertThat(of(settings(GpuOption.CDI), place(1, null), gpus("0", "3"), INSIDE))
        .containsSubsequence("--device", "nvidia.com/gpu=0", "--device", "nvidia.com/gpu=3")
        .doesNotContain("--gpus", "--memory");
    assertThat(variables(settings(GpuOption.CDI), gpus("0", "3")))
        .containsEntry("NVIDIA_VISIBLE_DEVICES", "void")
        .containsEntry("CUDA_VISIBLE_DEVICES", "0,1");
  }

  @Test
  void withoutAGpuNoImageGetsOne() {
    Allocation slots = new Allocation("j-1", List.of(), false, OptionalLong.empty(), 3);
    assertThat(of(settings(GpuOption.GPUS), place(0, null), slots, INSIDE))
        .doesNotContain("--gpus", "--device")
        .containsSubsequence("--cpus", "1.50");
    assertThat(variables(settings(GpuOption.GPUS), slots))
        .containsEntry("NVIDIA_VISIBLE_DEVICES", "void")
        .containsEntry("CUDA_VISIBLE_DEVICES", "");
  }

  @Test
  void aWorkFolderOfItsOwnIsSeenToo() {
    CreateArguments.Folders outside = folders("/srv/exp");
    assertThat(of(settings(GpuOption.GPUS), place(0, null), gpus(), outside))
        .containsSubsequence("--mount", "type=bind,source=/srv/exp,target=/srv/exp")
        .containsSubsequence("--workdir", "/srv/exp");
  }

  @Test
  void whatAnEngineReadsAsCsvIsQuoted() {
    CreateArguments.Folders odd = folders("/srv/a,\"b\"");
    assertThat(of(settings(GpuOption.GPUS), place(0, null), gpus(), odd))
        .containsSubsequence(
            "--mount", "type=bind,\"source=/srv/a,\"\"b\"\"\",\"target=/srv/a,\"\"b\"\"\"")
        .containsSubsequence("--workdir", "/srv/a,\"b\"");
    assertThat(of(settings(GpuOption.GPUS), place(0, null), gpus(), folders("/srv/a\nb")))
        .containsSubsequence("--mount", "type=bind,\"source=/srv/a\nb\",\"target=/srv/a\nb\"");
  }

  @Test
  void of_whatARequestSays_isNoOptionOfTheEngine() {
    String odd = "--privileged $(id) ; ` \n' \"";
    List<String> all =
        of(
            settings(GpuOption.GPUS),
            aPlace("j").command(odd, "--volume=/:/host").image("img").build(),
            gpus(),
            INSIDE);
    assertThat(all.subList(all.indexOf("img"), all.size()))
        .as("after the image, each as it is")
        .containsExactly("img", odd, "--volume=/:/host");
  }

  @Test
  void of_aContainerWithoutANetwork_hasNone() {
    Place alone =
        aPlace("j")
            .command("x")
            .image("img")
            .claim(new Claim(Optional.empty(), Optional.empty(), Optional.empty(), Map.of(), true))
            .build();
    assertThat(of(settings(GpuOption.GPUS), alone, gpus(), INSIDE))
        .containsSubsequence("--network", "none");
    assertThat(
            new CreateArguments(settings(GpuOption.GPUS), true)
                .of(place(0, null), gpus(), "n", "o", "j-1", INSIDE, List.of()))
        .as("of a host without")
        .containsSubsequence("--network", "none");
  }

  @Test
  void membersOfAGangMeetOnTheirHosts() {
    Place member = place(0, null).in(new Gang(0, 2, "h:4000"));
    assertThat(of(settings(GpuOption.GPUS), member, gpus(), INSIDE))
        .containsSubsequence("--network", "host");
  }

  @Test
  void settingsThatCannotBeAreRefused() {
    assertThatThrownBy(
            () ->
                new ContainerSettings(
                    "docker",
                    -1,
                    GpuOption.GPUS,
                    Pull.MISSING,
                    Optional.empty(),
                    OptionalLong.empty(),
                    OptionalDouble.empty(),
                    List.of(),
                    List.of()))
        .hasMessage("slots: -1, expected 0 or more");
  }

  private static List<String> of(
      ContainerSettings settings, Place place, Allocation given, CreateArguments.Folders folders) {
    return new CreateArguments(settings, false)
        .of(place, given, "n", "o", "j-1", folders, List.of("--env-file", "/f"));
  }

  private static Map<String, String> variables(ContainerSettings settings, Allocation given) {
    return new CreateArguments(settings, false).variables(given, INSIDE.work(), Map.of("X", "1"));
  }

  private static CreateArguments.Folders folders(String work) {
    return new CreateArguments.Folders(
        Path.of("/d/runs/j-1"),
        Path.of("/d/shared"),
        Path.of("/d/runs/j-1/result.json"),
        Path.of(work),
        Path.of(work));
  }

  private static ContainerSettings settings(GpuOption gpus) {
    return new ContainerSettings(
        "docker",
        4,
        gpus,
        Pull.NEVER,
        Optional.of("7:8"),
        OptionalLong.of(1024),
        OptionalDouble.of(0.5),
        List.of(),
        List.of("--ipc=host"));
  }

  private static Allocation gpus(String... ids) {
    return new Allocation("j-1", List.of(ids), true, OptionalLong.empty(), 0);
  }

  private static Place place(int gpus, Long memory) {
    return aPlace("j")
        .command("python3", "train.py")
        .gpus(gpus)
        .cpuSlots(gpus > 0 ? 0 : 3)
        .memory(memory)
        .image("img")
        .build();
  }
}
