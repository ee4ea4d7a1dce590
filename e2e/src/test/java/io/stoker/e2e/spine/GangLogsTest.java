package io.stoker.e2e.spine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.message.RequestStatus;
import io.stoker.common.message.RequestStatus.Member;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.stack.BesideTheSharedStack;
import io.stoker.e2e.stack.CommandLine;
import io.stoker.e2e.stack.OutputLog;
import io.stoker.e2e.stack.Posted;
import io.stoker.e2e.stack.StokerStack;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/** What the members of a gang write, as its readers see it. */
@ExtendWith(ThreeHosts.class)
@ResourceLock(ThreeHosts.LOCK)
@Timeout(1_200)
@BesideTheSharedStack
class GangLogsTest {
  private static final int LINES = 200;

  /** In steps, so that what is sent on is cut within lines, too. */
  private static final String WRITES =
      """
      i=0
      while [ $i -lt %d ]; do
        printf "line $i of "; [ $((i %% 50)) = 0 ] && sleep 0.3
        printf "rank $RANK\\n"
        i=$((i + 1))
      done
      echo "$RANK is done" >&2
      printf "no newline"
      """;

  @TempDir Path folder;
  private final StokerStack stack;

  GangLogsTest(StokerStack stack) {
    this.stack = stack;
  }

  private static List<String> written(int rank) {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < LINES; i++) {
      lines.add("line %d of rank %d".formatted(i, rank));
    }
    lines.add("no newline");
    return lines;
  }

  private static String name(Member member) {
    return "[%d %s] ".formatted(member.rank(), member.host());
  }

  @Test
  void whatEachMemberWritesIsShownWholeAndToldApart() throws Exception {
    stack.post(
        Posted.script("gang-logs", WRITES.formatted(LINES))
            .with("resources", Map.of("hosts", 2, "cpus", 1)));
    RequestStatus end = stack.statuses().awaitEnd("gang-logs");
    assertThat(end.state()).isEqualTo(RequestState.SUCCEEDED);
    try (OutputLog outputs = stack.outputs()) {
      outputs.awaitMembers(end.job(), end.attempt(), 2);
    }

    CommandLine stoker = new CommandLine(folder, stack);
    List<String> out = stoker.output("logs", "-f", "gang-logs").lines().toList();
    List<String> err = Files.readAllLines(stoker.err());

    List<String> all = new ArrayList<>();
    for (Member member : end.members()) {
      List<String> named = written(member.rank()).stream().map(name(member)::concat).toList();
      assertThat(out.stream().filter(line -> line.startsWith(name(member))))
          .containsExactlyElementsOf(named);
      assertThat(err).containsOnlyOnce(name(member) + member.rank() + " is done");
      assertThat(stoker.output("logs", "--rank", "" + member.rank(), "gang-logs"))
          .isEqualTo(String.join("\n", written(member.rank())));
      all.addAll(named);
    }
    assertThat(out).as("and nothing else").hasSameSizeAs(all);
  }

  @Test
  void aMemberThatThereIsNotIsRefused() throws Exception {
    stack.post(
        Posted.script("gang-of-two", "true # two").with("resources", Map.of("hosts", 2, "cpus", 1)),
        Posted.script("alone", "true # alone"));
    stack.statuses().awaitEnd("gang-of-two");
    stack.statuses().awaitEnd("alone");

    assertThat(refusal("gang-of-two", "2")).contains("rank: 2, expected 0 to 1");
    assertThat(refusal("alone", "0")).contains("rank: 0, expected none: the job has one host");
  }

  private String refusal(String id, String rank) throws Exception {
    CommandLine stoker = new CommandLine(folder, stack);
    Process process = stoker.start("logs", "--rank", rank, id);
    assertThat(process.waitFor()).as("bad usage").isEqualTo(2);
    return Files.readString(stoker.err());
  }
}
