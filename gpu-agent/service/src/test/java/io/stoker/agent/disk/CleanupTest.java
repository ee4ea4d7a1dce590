package io.stoker.agent.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.agent.disk.Cleanup.Folder;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Folders of 10 bytes each; closed ones stay 100 ms, and 50 bytes are to stay free. */
class CleanupTest {
  private static final Cleanup.Rules RULES = new Cleanup.Rules(100, 50);

  @ParameterizedTest
  @CsvSource({
    // name and age of each, ! = not closed; free bytes; what goes, in order
    "a99 b99, 50, ''",
    "a100 b99, 50, a",
    "a100 b101, 50, a b",
    "!a500 b1, 50, ''",
    "a1 b2 c3, 49, c",
    "a1 b2 c3, 39, c b",
    "a1 b2 c3, 0, c b a",
    "a100 b1 c2, 45, a",
    "a100 b1 c2, 35, a c",
    "!a90 b1 !c95, 35, b c",
    "!a90 b1 !c95, 0, b c a",
    "'', 0, ''",
  })
  void oldOnesGoAndMoreOfThemIfTheDiskIsFull(String folders, long free, String gone) {
    List<Folder> all =
        Arrays.stream(folders.split(" "))
            .filter(text -> !text.isEmpty())
            .map(this::folder)
            .toList();

    List<Folder> decided = Cleanup.decide(all, RULES, 1_000, free, folder -> 10);

    assertThat(decided.stream().map(Folder::name).collect(Collectors.joining(" "))).isEqualTo(gone);
  }

  @Test
  void sizesAreNotAskedForWhileThereIsRoom() {
    Cleanup.decide(
        List.of(folder("a100"), folder("b1")),
        RULES,
        1_000,
        50,
        folder -> {
          throw new AssertionError("measuring is expensive");
        });
  }

  private Folder folder(String text) {
    boolean closed = !text.startsWith("!");
    String rest = closed ? text : text.substring(1);
    return new Folder(rest.substring(0, 1), 1_000 - Long.parseLong(rest.substring(1)), closed);
  }
}
