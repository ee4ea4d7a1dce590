package io.stoker.agent.ssh;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.agent.ssh.NodeGpus.Taken;
import io.stoker.agent.ssh.NodeGpus.Wanted;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a run gets of the GPUs of a node. */
class NodeGpusTest {
  private static final NodeGpus SAID =
      new NodeGpus(List.of("3", "GPU-5e", "1"), OptionalLong.of(24));
  private static final NodeGpus UNSAID = NodeGpus.of("3", "1");

  private static Wanted alone(int count, String device, Long bytes) {
    return wanted(count, device, bytes, false);
  }

  private static Wanted shared(int count, String device, long bytes) {
    return wanted(count, device, bytes, true);
  }

  private static Wanted wanted(int count, String device, Long bytes, boolean shared) {
    return new Wanted(
        count,
        Optional.ofNullable(device),
        bytes == null ? OptionalLong.empty() : OptionalLong.of(bytes),
        shared);
  }

  private static Taken sharing(long bytes, String... ids) {
    return new Taken(List.of(ids), OptionalLong.of(bytes));
  }

  private static List<String> ids(NodeGpus gpus, Wanted wanted, Taken... taken) {
    return gpus.choose(wanted, List.of(taken)).map(Taken::ids).orElse(List.of("none"));
  }

  @Test
  void aPinnedDeviceIsGivenAndNoOther() {
    assertThat(ids(SAID, alone(1, "1", null))).containsExactly("1");
    assertThat(ids(SAID, alone(1, "GPU-5e", null))).containsExactly("GPU-5e");
    assertThat(ids(SAID, alone(1, "cuda:0", null))).as("the first one").containsExactly("3");
    assertThat(ids(SAID, alone(1, "0", null))).containsExactly("none");
    assertThat(ids(SAID, alone(1, "cuda:3", null))).containsExactly("none");
    assertThat(ids(SAID, alone(1, "1", null), Taken.alone("1"))).containsExactly("none");
  }

  @ParameterizedTest
  @CsvSource({"24, 3", "25, none", "0, 3"})
  void itMustHaveTheMemoryThatIsAskedFor(long bytes, String given) {
    assertThat(ids(SAID, alone(1, null, bytes))).containsExactly(given);
  }

  @Test
  void oneOfWhoseMemoryNothingIsSaidHasNone() {
    assertThat(ids(UNSAID, alone(1, null, 1L))).containsExactly("none");
    assertThat(ids(UNSAID, shared(1, null, 1))).containsExactly("none");
    assertThat(ids(UNSAID, alone(2, null, null))).containsExactly("3", "1");
  }

  @Test
  void runsThatShareHaveTogetherWhatThereIsAndNoMore() {
    assertThat(ids(SAID, shared(1, null, 8), sharing(16, "3"))).containsExactly("3");
    assertThat(ids(SAID, shared(1, null, 9), sharing(16, "3"))).containsExactly("GPU-5e");
    assertThat(ids(SAID, shared(1, "3", 9), sharing(8, "3"), sharing(8, "3", "1")))
        .containsExactly("none");
    assertThat(ids(SAID, shared(3, null, 8), sharing(16, "3", "GPU-5e", "1")))
        .containsExactly("3", "GPU-5e", "1");
  }

  @Test
  void nobodyElseIsOnAGpuThatARunHasAlone() {
    assertThat(ids(SAID, shared(1, null, 1), Taken.alone("3"))).containsExactly("GPU-5e");
    assertThat(ids(SAID, alone(1, null, 1L), sharing(1, "3"))).containsExactly("GPU-5e");
    assertThat(ids(SAID, wanted(1, null, null, true), sharing(1, "3")))
        .as("it does not say what it takes")
        .containsExactly("GPU-5e");
  }

  @Test
  void oneThatAsksForNoneSeesNone() {
    assertThat(ids(SAID, Wanted.NONE, Taken.alone("3", "GPU-5e", "1"))).isEmpty();
  }

  /** Whatever is asked and ends in whatever order: no GPU is promised beyond what it has. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void noGpuIsPromisedBeyondWhatItHas(long seed) {
    Random random = new Random(seed);
    List<Taken> taken = new ArrayList<>();
    int given = 0;
    for (int i = 0; i < 2_000; i++) {
      if (random.nextInt(3) == 0 && !taken.isEmpty()) {
        taken.remove(random.nextInt(taken.size()));
      } else {
        Wanted wanted =
            wanted(1 + random.nextInt(2), null, (long) random.nextInt(30), random.nextBoolean());
        Optional<Taken> got = SAID.choose(wanted, taken);
        got.ifPresent(taken::add);
        given += got.isPresent() ? 1 : 0;
      }
      for (String id : SAID.ids()) {
        List<Taken> on = taken.stream().filter(one -> one.ids().contains(id)).toList();
        assertThat(on.size() <= 1 || on.stream().allMatch(one -> one.share().isPresent())).isTrue();
        assertThat(on.stream().mapToLong(one -> one.share().orElse(0)).sum())
            .isLessThanOrEqualTo(24);
      }
    }
    assertThat(given).isGreaterThan(300);
  }
}
