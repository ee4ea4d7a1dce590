package io.stoker.agent.ssh;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.agent.ssh.NodeBook.Given;
import io.stoker.agent.ssh.NodeGpus.Taken;
import io.stoker.agent.ssh.NodeGpus.Wanted;
import io.stoker.common.message.NodeMachine;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which node a run gets, and which of its GPUs. */
class NodeBookTest {
  private int runs;

  private static Nodes.Offer node(String name, String... gpus) {
    return new Nodes.Offer(
        name, gpus.length == 0 ? Optional.empty() : Optional.of(NodeGpus.of(gpus)));
  }

  private static NodeBook book(int perNode, Nodes.Offer... nodes) {
    return new NodeBook(List.of(nodes), perNode, new Random(1));
  }

  private Optional<Given> choose(NodeBook book, String job, int gpus) {
    return book.choose(job + "-" + ++runs, job, wanted(gpus));
  }

  private static Wanted wanted(int gpus) {
    return new Wanted(gpus, Optional.empty(), OptionalLong.empty(), false);
  }

  private static List<String> ids(Given given) {
    return given.gpus().map(Taken::ids).orElse(List.of());
  }

  private String node(NodeBook book, String job) {
    return choose(book, job, 0).map(Given::node).orElse("none");
  }

  private List<String> gpus(NodeBook book, String job, int count) {
    return choose(book, job, count).map(NodeBookTest::ids).orElse(List.of());
  }

  @Test
  void runsAreSpreadAndNoNodeHasMoreThanItMay() {
    NodeBook book = book(2, node("a"), node("b"), node("c"));
    assertThat(book.slots()).isEqualTo(6);
    for (int round = 1; round <= 2; round++) {
      Set<String> chosen = new TreeSet<>();
      for (int i = 0; i < 3; i++) {
        chosen.add(node(book, "j"));
      }
      assertThat(chosen).containsExactly("a", "b", "c");
    }
    assertThat(node(book, "j")).isEqualTo("none");

    book.over("j-1");

    assertThat(node(book, "j")).isNotEqualTo("none");
    assertThat(node(book, "j")).isEqualTo("none");
  }

  @Test
  void aRetryGoesToAnotherNodeAsLongAsThatHasRoom() {
    NodeBook book = book(1, node("a"), node("b"));
    book.failed("again", "a");
    assertThat(node(book, "again")).isEqualTo("b");
    // One job at a time, also where the other node has failed it.
    assertThat(node(book, "again")).isEqualTo("a");
  }

  @Test
  void aNodeThatCouldNotBeReachedComesLast() {
    NodeBook book = book(2, node("a"), node("b"));
    book.reached("a", false);
    assertThat(List.of(node(book, "x"), node(book, "y"), node(book, "z")))
        .containsExactly("b", "b", "a");
    book.over("x-1");
    book.over("y-2");
    book.reached("a", true);
    book.reached("b", false);
    assertThat(node(book, "w")).isEqualTo("a");
  }

  @Test
  void everyGpuIsOneRunsAloneUntilThatIsOver() {
    NodeBook book = book(1, node("a", "2", "0", "GPU-5e"));
    assertThat(book.slots()).isEqualTo(3);
    assertThat(book.machines()).containsExactly(new NodeMachine(List.of("2", "0", "GPU-5e"), null));

    assertThat(gpus(book, "x", 2)).containsExactly("2", "0");
    assertThat(choose(book, "y", 2)).isEmpty();
    assertThat(gpus(book, "y", 1)).containsExactly("GPU-5e");
    // There is a place left, and no GPU.
    assertThat(choose(book, "z", 1)).isEmpty();
    assertThat(choose(book, "z", 0).orElseThrow().gpus()).contains(Taken.alone());

    book.over("x-1");
    assertThat(gpus(book, "w", 1)).containsExactly("2");
  }

  @Test
  void aRunWithoutGpusLeavesThemToOthers() {
    NodeBook book = book(2, node("big", "0", "1"), node("plain"));
    assertThat(List.of(node(book, "x"), node(book, "y"), node(book, "z")))
        .containsExactly("plain", "plain", "big");
  }

  @Test
  void ofANodeOfWhoseGpusNothingIsSaidNoneCanBeHad() {
    NodeBook book = book(1, node("a"));
    assertThat(book.machines()).isEmpty();
    assertThat(choose(book, "x", 1)).isEmpty();
    assertThat(choose(book, "x", 0).orElseThrow().gpus()).isEmpty();
  }

  @Test
  void aRunGoesToANodeWhoseGpusAreSaidToHaveWhatItAsksFor() {
    NodeGpus large = new NodeGpus(List.of("0"), OptionalLong.of(80));
    NodeBook book =
        book(
            9,
            node("unsaid", "0", "1"),
            new Nodes.Offer("small", Optional.of(new NodeGpus(List.of("0"), OptionalLong.of(24)))),
            new Nodes.Offer("large", Optional.of(large)),
            new Nodes.Offer("like-it", Optional.of(large)));
    Wanted much = new Wanted(1, Optional.empty(), OptionalLong.of(80), false);

    assertThat(
            List.of(
                book.choose("r-1", "x", much).orElseThrow().node(),
                book.choose("r-2", "y", much).orElseThrow().node()))
        .containsExactlyInAnyOrder("large", "like-it");
    assertThat(book.choose("r-3", "z", much)).isEmpty();
    assertThat(book.machines())
        .containsExactly(
            new NodeMachine(List.of("0", "1"), null),
            new NodeMachine(List.of("0"), 24L),
            new NodeMachine(List.of("0"), 80L));
  }

  @Test
  void whatAnEarlierAgentGaveIsTakenUntilItIsOverOrGone() {
    NodeBook book = book(1, node("a", "0", "1"));
    book.put("old-1", "a", Optional.of(Taken.alone("0")));
    assertThat(gpus(book, "x", 1)).containsExactly("1");
    assertThat(choose(book, "y", 1)).isEmpty();

    assertThat(book.remove("old-1")).contains("a");

    assertThat(gpus(book, "y", 1)).containsExactly("0");
    assertThat(book.remove("old-1")).isEmpty();
  }

  /** Whatever is asked and ends in whatever order: never too many on a node, no GPU twice. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void nothingIsGivenTwice(long seed) {
    Random random = new Random(seed);
    NodeBook book = book(2, node("a", "0", "1", "2"), node("b", "0"), node("c"));
    List<String> running = new ArrayList<>();
    List<Given> given = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      if (random.nextInt(2) == 0 && !running.isEmpty()) {
        int one = random.nextInt(running.size());
        book.over(running.remove(one));
        given.remove(one);
      } else {
        String run = "r-" + i;
        int gpus = random.nextInt(4);
        Optional<Given> got = book.choose(run, "j" + random.nextInt(9), wanted(gpus));
        if (got.isPresent()) {
          running.add(run);
          given.add(got.get());
          assertThat(ids(got.get())).hasSize(gpus);
        }
      }
      assertThat(count(given, "a")).isLessThanOrEqualTo(3);
      assertThat(count(given, "b")).isLessThanOrEqualTo(2);
      assertThat(count(given, "c")).isLessThanOrEqualTo(2);
      assertThat(
              given.stream().flatMap(one -> ids(one).stream().map(gpu -> one.node() + ":" + gpu)))
          .doesNotHaveDuplicates();
    }
    running.forEach(book::over);
    assertThat(gpus(book, "all", 3)).containsExactly("0", "1", "2");
  }

  private static long count(List<Given> given, String node) {
    return given.stream().filter(one -> one.node().equals(node)).count();
  }
}
