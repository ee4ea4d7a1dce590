package io.stoker.dispatcher.scenario;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.model.GroupEntry;
import io.stoker.dispatcher.model.RequestRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is counted as it happens is what a count over all requests gives. */
class GroupTallyTest {
  private static final String GROUP = "g";

  private final Scene scene = new Scene();

  @Test
  void arrivalsAndEndsAreCounted() {
    scene.post(in("a"), in("b"), in("c"), aRequest("outside"));
    scene.succeed("a");
    scene.fail("b");
    scene.cancel("c");
    scene.succeed("outside");

    assertThat(counted()).isEqualTo(List.of(3L, 1L, 1L, 1L));
  }

  @Test
  void whatComesTwiceIsCountedOnce() {
    scene.post(in("a"));
    scene.post(in("a"));
    scene.succeed("a");
    scene.post(in("a"));
    scene.cancel("a");

    assertThat(counted()).isEqualTo(List.of(1L, 1L, 0L, 0L));
  }

  @Test
  void aPlaceholderCountsWhenItIsFilled() {
    scene.cancel("early");
    scene.post(in("after").dependsOn("early"));
    assertThat(counted()).isEqualTo(List.of(1L, 0L, 0L, 0L));

    scene.post(in("early"));

    assertThat(counted()).isEqualTo(List.of(2L, 0L, 1L, 1L));
  }

  @Test
  void sharersAreCountedOnceEachWhetherTheyStayOrLeave() {
    scene.post(same("first"), same("leaves"), same("stays"));
    scene.run("first");
    scene.cancel("leaves");
    scene.cancel("first");
    scene.succeed("stays");
    scene.post(same("answered"));

    assertThat(counted()).isEqualTo(List.of(4L, 2L, 0L, 2L));
  }

  @Test
  void aSuccessorAnsweredByItsHolderCounts() {
    scene.post(same("holder"));
    scene.run("holder");
    scene.cancel("holder");
    scene.post(same("successor"), same("shares-it"));
    scene.succeed("holder");

    assertThat(scene.state("successor")).isEqualTo(RequestState.SUCCEEDED);
    assertThat(counted()).isEqualTo(recounted());
    assertThat(counted().get(0)).isEqualTo(3L);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void whateverHappensTheCountsAreRight(long seed) {
    Random random = new Random(seed);
    List<String> ids = new ArrayList<>();
    for (int step = 0; step < 150; step++) {
      String id = "r" + random.nextInt(40);
      switch (random.nextInt(6)) {
        case 0, 1 -> {
          ARequest request = in(id).meaning("m" + random.nextInt(8));
          if (!ids.isEmpty() && random.nextInt(3) == 0) {
            String other = "r" + random.nextInt(40);
            request = other.equals(id) ? request : request.dependsOn(other);
          }
          if (!ids.contains(id)) {
            ids.add(id);
            scene.post(request);
          }
        }
        case 2 -> queued(id, () -> scene.run(id));
        case 3 -> live(id, () -> scene.succeed(id));
        case 4 -> live(id, () -> scene.fail(id));
        default -> scene.cancel(id);
      }
      assertThat(counted()).as("step %d of seed %d", step, seed).isEqualTo(recounted());
    }
    assertThat(counted().get(0)).isPositive();
  }

  private void queued(String id, Runnable work) {
    if (bound(id) && scene.inLine(id)) {
      work.run();
    }
  }

  private void live(String id, Runnable work) {
    boolean can = bound(id) && (scene.inLine(id) || scene.state(id) == RequestState.RUNNING);
    if (can && scene.request(id).ended() == null) {
      work.run();
    }
  }

  private boolean bound(String id) {
    return scene.store().requests().stream()
        .anyMatch(row -> row.id().equals(id) && row.job() != null);
  }

  private List<Long> counted() {
    GroupEntry entry = scene.store().group(GROUP);
    return List.of(entry.total(), entry.succeeded(), entry.failed(), entry.cancelled());
  }

  private List<Long> recounted() {
    List<RequestRow> members =
        scene.store().requests().stream().filter(row -> GROUP.equals(row.group())).toList();
    return List.of(
        (long) members.size(),
        ended(members, RequestState.SUCCEEDED),
        ended(members, RequestState.FAILED),
        ended(members, RequestState.CANCELLED));
  }

  private long ended(List<RequestRow> members, RequestState how) {
    return members.stream().filter(row -> scene.state(row.id()) == how).count();
  }

  private static ARequest in(String id) {
    return aRequest(id).with("group", GROUP);
  }

  private static ARequest same(String id) {
    return in(id).meaning("the same");
  }
}
