package io.stoker.dispatcher.model;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.request.JobRequest;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProfileTest {
  @ParameterizedTest
  @CsvSource({
    "python3 train.py --lr 0.1, python3 train.py --lr 0.25, true",
    "python3 train.py --lr=0.1, python3 train.py --lr=auto, true",
    "run --input /data/img-17.png, run --input /data/img-4711.png, true",
    "python3 train.py, python3 infer.py, false",
    "python3 train.py --fp16, python3 train.py --amp, false",
    "run a=1, run b=1, false",
  })
  void jobsAreAlikeWhoseCommandsDifferInFiguresAndValues(String one, String other, boolean alike) {
    assertThat(of(1, one).equals(of(1, other))).isEqualTo(alike);
  }

  @Test
  void itCanBeReadAndTellsHowManyGpus() {
    assertThat(of(2, "python3 train.py --lr=0.1 --epochs 30"))
        .isEqualTo("2 GPU(s) command: python# train.py --lr --epochs #");
    assertThat(of(1, "x")).isNotEqualTo(of(2, "x"));
  }

  @Test
  void profile_ofALongCommand_isCutAndDiffersFromOthersOfTheSameBeginning() {
    String long1 = "x".repeat(300) + "a";
    String long2 = "x".repeat(300) + "b";

    assertThat(of(1, long1)).hasSize(200).isNotEqualTo(of(1, long2)).isEqualTo(of(1, long1));
  }

  @Test
  void jobsWithoutAGpuAreAlikeAmongThemselves() {
    JobRequest request = aRequest("a").list("command", "python3", "train.py").build();
    assertThat(Profile.of(request)).isEqualTo("0 GPU(s) command: python# train.py");
  }

  @Test
  void containersAreAlikeOfOneImageWhateverItsVersion() {
    assertThat(inImage("torch:2.9"))
        .isEqualTo("0 GPU(s) command: in torch:#.#: sh run")
        .isEqualTo(inImage("torch:2.10"))
        .isNotEqualTo(inImage("alpine:2.9"))
        .isNotEqualTo(of(0, "sh run"));
    assertThat(Profile.kind(inImage("a/b:1"))).contains("command");
  }

  private static String inImage(String image) {
    return Profile.of(aRequest("a").with("image", image).list("command", "sh", "run").build());
  }

  @Test
  void itsKindCanBeReadFromIt() {
    assertThat(Profile.kind(of(2, "python3 a: b"))).contains("command");
    assertThat(Profile.kind("2 GPU(s) my-kind: x")).contains("my-kind");
    assertThat(Profile.kind("of a later build")).isEmpty();
  }

  private static String of(int gpus, String command) {
    JobRequest request = aRequest("a").gpus(gpus).list("command", command.split(" ")).build();
    assertThat(request.command()).isEqualTo(List.of(command.split(" ")));
    return Profile.of(request);
  }
}
