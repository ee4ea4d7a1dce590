package io.stoker.e2e.spine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.stack.StackOptions;
import io.stoker.common.json.Json;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.size.Limits;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.stack.BesideTheSharedStack;
import io.stoker.e2e.stack.Posted;
import io.stoker.e2e.stack.Rest;
import io.stoker.e2e.stack.StokerStack;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Requests, results and inputs about as large as they may be, and many of them at once, on two
 * dispatchers with the heap that they have everywhere: one that runs out of it ends, and another
 * one with another pid comes in its place.
 */
@BesideTheSharedStack
@Timeout(1_200)
class LargeSizesTest {
  private static final Duration LONG = Duration.ofMinutes(10);
  private static final int RESULT = 248_000;

  @TempDir static Path folder;

  private static StokerStack stack;
  private static List<Long> pids;

  @BeforeAll
  static void start() throws Exception {
    stack =
        StokerStack.start(
            "large-sizes",
            StackOptions.DEFAULT.withDispatchers(2).withAgentEnvironment(StokerStack.WITHOUT_GPUS));
    pids = pids();
  }

  @AfterAll
  static void stop() throws Exception {
    if (stack != null) {
      stack.close();
    }
  }

  @AfterEach
  void nothingHasRunOutOfMemory() {
    assertThat(pids()).isEqualTo(pids);
  }

  private static List<Long> pids() {
    var all = stack.processes().info().pids();
    return Stream.of(all.dispatcher(), all.agent()).flatMap(List::stream).sorted().toList();
  }

  /** A line of shell that leaves a text of so many letters as the result. */
  private static String result(int letters) {
    return "{ printf '\"'; head -c %d /dev/zero | tr '\\0' x; printf '\"'; } > \"$STOKER_RESULT\"; "
        .formatted(letters);
  }

  @Test
  void sevenHundredEqualsOfALiveJobAllGetItsLargeResult() throws Exception {
    Gate gate = Gate.in(folder, "equals");
    Posted first = Posted.script("equal-0", gate.await() + result(RESULT));
    List<String> ids = IntStream.range(0, 700).mapToObj(i -> "equal-" + i).toList();
    stack.post(first);
    stack.statuses().await("equal-0", RequestState.RUNNING);
    stack.post(ids.stream().skip(1).map(first::as).toArray(Posted[]::new));
    for (String id : ids) {
      stack.statuses().await(id, RequestState.RUNNING);
    }

    gate.open();
    stack.statuses().awaitEnds(ids, LONG);

    Map<String, RequestStatus> newest = stack.statuses().newest();
    for (String id : ids) {
      assertThat(newest.get(id).state()).as(id).isEqualTo(RequestState.SUCCEEDED);
      assertThat(newest.get(id).result().textValue()).as(id).hasSize(RESULT);
    }
    assertThat(listed()).containsAll(ids);
  }

  /** All of these tests load the same two dispatchers at once. */
  private static RequestStatus end(String id) {
    stack.statuses().awaitEnds(List.of(id), LONG);
    return stack.statuses().awaitEnd(id);
  }

  /** Everything there is: pages are shorter where their entries are large, and lose none. */
  private static Set<String> listed() throws Exception {
    Rest rest = new Rest(stack);
    Set<String> listed = new HashSet<>();
    String after = "";
    do {
      String body = rest.get("/requests?limit=1000" + after);
      assertThat(body.length()).isLessThan(2 * Limits.AT_ONCE);
      JsonNode page = Json.read(body);
      page.path("requests").forEach(one -> listed.add(one.path("id").textValue()));
      after = page.has("next") ? "&after=" + page.path("next").textValue() : "";
    } while (!after.isEmpty());
    return listed;
  }

  @Test
  void repeatsOfAFinishedJobAreAllAnsweredWithItsLargeResult() {
    Posted first = Posted.script("finished", result(RESULT));
    stack.post(first);
    end("finished");
    List<String> ids = IntStream.range(0, 500).mapToObj(i -> "repeat-" + i).toList();

    stack.post(ids.stream().map(first::as).toArray(Posted[]::new));
    stack.statuses().awaitEnds(ids, LONG);

    Map<String, RequestStatus> newest = stack.statuses().newest();
    assertThat(ids)
        .allSatisfy(
            id -> {
              assertThat(newest.get(id).state()).isEqualTo(RequestState.SUCCEEDED);
              assertThat(newest.get(id).cached()).isTrue();
            });
  }

  @Test
  void aJobSeesAllOfItsDependenciesLargeResults() throws Exception {
    String[] inputs = inputs("six", 6);
    String looks =
        "n=$(grep -o '\"id\":\"six-[0-9]*\"' \"$STOKER_DEPENDENCIES\" | wc -l); "
            + "b=$(wc -c < \"$STOKER_DEPENDENCIES\"); echo \"#stoker:result [$n,$b]\"";
    stack.post(
        Posted.script("all-six", looks).dependingOn(inputs),
        Posted.script("neighbour-of-six", "exit 0 # neighbour of six"));

    RequestStatus end = end("all-six");

    assertThat(end.state()).as(end.reason()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(end.attempt()).isEqualTo(1);
    assertThat(end.result().get(0).intValue()).isEqualTo(6);
    assertThat(end.result().get(1).intValue()).isGreaterThan(6 * 250_000);
    assertThat(end("neighbour-of-six").state()).isEqualTo(RequestState.SUCCEEDED);
  }

  @Test
  void resultsThatAreTooMuchTogetherFailTheDependentWithACode() {
    String[] inputs = inputs("too-many", Limits.INPUTS / 250_000 + 1);
    stack.post(
        Posted.script("too-much", "exit 0").dependingOn(inputs),
        Posted.script("neighbour-of-many", "exit 0 # neighbour of many"));

    RequestStatus end = end("too-much");

    assertThat(end.state()).isEqualTo(RequestState.FAILED);
    assertThat(end.code()).isEqualTo(Code.TOO_LARGE);
    assertThat(end.reason()).contains("expected at most " + Limits.INPUTS);
    assertThat(end("neighbour-of-many").state()).isEqualTo(RequestState.SUCCEEDED);
  }

  /** The first is the largest that a producer with Kafka's own settings can post. */
  @ParameterizedTest
  @ValueSource(ints = {1_048_488, Limits.REQUEST - 1, Limits.REQUEST})
  void theLargestRequestsRun(int bytes) throws Exception {
    String id = "large-" + bytes;
    Posted request = sized(id, "echo \"#stoker:result $(wc -c < \"$STOKER_PARAMS\")\"", bytes);
    stack.post(request);

    RequestStatus end = end(id);

    assertThat(end.state()).as(end.reason()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(end.attempt()).isEqualTo(1);
    assertThat(end.result().intValue()).isGreaterThan(bytes - 1_000);
  }

  @Test
  void aRequestThatIsOneByteTooLargeIsRefused() {
    Posted request = sized("oversize", "exit 0", Limits.REQUEST + 1);
    stack.post(request, Posted.script("after-oversize", "exit 0 # after oversize"));

    stack
        .deadLetters()
        .await(letter -> "oversize".equals(letter.key()), "the dead letter of oversize");
    assertThat(end("after-oversize").state()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(stack.statuses().history("oversize"))
        .allSatisfy(one -> assertThat(one.status().state()).isEqualTo(RequestState.REJECTED));
  }

  private static String[] inputs(String name, int n) {
    String[] ids = IntStream.range(0, n).mapToObj(i -> name + "-" + i).toArray(String[]::new);
    stack.post(
        Stream.of(ids)
            .map(id -> Posted.script(id, result(250_000) + "# " + id))
            .toArray(Posted[]::new));
    return ids;
  }

  /** A request whose record has so many bytes. */
  private static Posted sized(String id, String script, int bytes) {
    Posted empty = Posted.script(id, script).with("params", Map.of("pad", ""));
    int missing = bytes - empty.bytes().length;
    return empty.with("params", Map.of("pad", "x".repeat(missing)));
  }
}
