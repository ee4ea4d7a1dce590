package io.stoker.e2e.spine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.stack.BesideTheSharedStack;
import io.stoker.e2e.stack.CommandLine;
import io.stoker.e2e.stack.Posted;
import io.stoker.e2e.stack.Rest;
import io.stoker.e2e.stack.StokerStack;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/** What is posted together starts in its order, where one runs at a time. */
@ExtendWith(ThreeHosts.class)
@ResourceLock(ThreeHosts.LOCK)
@BesideTheSharedStack
@Timeout(1_200)
class OrderTest {
  private static final int COUNT = 12;

  @TempDir Path folder;
  private final StokerStack stack;

  OrderTest(StokerStack stack) {
    this.stack = stack;
  }

  @Test
  void thoseOfOnePost() throws Exception {
    List<Posted> requests = requests("post");

    new Rest(stack).post("/requests", "[" + bodies(requests, ",") + "]");

    startInOrder(ids("post"));
  }

  @Test
  void thoseOfOneRecord() {
    String array = "[" + bodies(requests("record"), ",") + "]";

    stack.producer().request("any", array.getBytes(StandardCharsets.UTF_8));
    stack.producer().flush();

    startInOrder(ids("record"));
  }

  @Test
  void thoseOfOneFile() throws Exception {
    Path file = Files.writeString(folder.resolve("requests.jsonl"), bodies(requests("file"), "\n"));

    new CommandLine(folder, stack).output("submit", file.toString());

    startInOrder(ids("file"));
  }

  @Test
  void thoseOfOneFileThatIsTooLongForAPost() throws Exception {
    List<Posted> many = new ArrayList<>(requests("bulk"));
    IntStream.range(0, 200)
        .mapToObj(i -> Posted.script("bulk-more-" + i, "# fills the file " + i))
        .forEach(many::add);
    Path file = Files.writeString(folder.resolve("bulk.jsonl"), bodies(many, "\n"));

    new CommandLine(folder, stack).output("submit", file.toString());

    startInOrder(ids("bulk"));
  }

  @Test
  void thoseOfASweepOfWhichOneRunsAtATime() throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("sweep.yaml"),
            """
            name: in-order
            parallel: 1
            request:
              command: [sh, -c, "echo '#stoker:result ${params.x}'"]
            grid:
              x: [5, 3, 8, 1, 9, 2, 7, 4, 6, 0]
            """);

    new CommandLine(folder, stack).output("sweep", file.toString());

    // The command is told of the last end by another reader than this one.
    stack.statuses().awaitLasts(lasts -> succeeded(lasts).size() == 10, "ten trials to succeed");
    List<String> results =
        succeeded(stack.statuses().newest()).stream()
            .sorted(Comparator.comparing(RequestStatus::startedAt))
            .map(status -> status.result().toString())
            .toList();
    assertThat(results).containsExactly("5", "3", "8", "1", "9", "2", "7", "4", "6", "0");
  }

  private static List<RequestStatus> succeeded(Map<String, RequestStatus> lasts) {
    return lasts.values().stream()
        .filter(status -> "in-order".equals(status.group()))
        .filter(status -> status.state() == RequestState.SUCCEEDED)
        .toList();
  }

  private static List<String> ids(String name) {
    return IntStream.range(0, COUNT).mapToObj(i -> name + "-" + i).toList();
  }

  private static List<Posted> requests(String name) {
    return ids(name).stream()
        .map(id -> Posted.script(id, "# " + id).with("queue", "single"))
        .toList();
  }

  private static String bodies(List<Posted> requests, String between) {
    return String.join(
        between, requests.stream().map(request -> new String(request.bytes())).toList());
  }

  private void startInOrder(List<String> ids) {
    List<RequestStatus> ends = ids.stream().map(stack.statuses()::awaitEnd).toList();
    assertThat(ends).extracting(RequestStatus::state).containsOnly(RequestState.SUCCEEDED);
    assertThat(
            ends.stream()
                .sorted(Comparator.comparing(RequestStatus::startedAt))
                .map(RequestStatus::id))
        .containsExactlyElementsOf(ids);
  }
}
