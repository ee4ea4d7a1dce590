package io.stoker.dispatcher.control;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.request.Dependency;
import io.stoker.common.request.Dependency.Condition;
import io.stoker.common.request.JobRequest;
import io.stoker.common.request.RequestRefused;
import io.stoker.common.request.RetryId;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.control.Retrying.Ended;
import io.stoker.dispatcher.scenario.ARequest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RetryingTest {
  private static final String MESSAGE = "m-1";

  private final Map<String, Ended> known = new HashMap<>();

  @Test
  void itIsTheSameUnderANewId() throws RequestRefused {
    know(RequestState.FAILED, aRequest("a").priority(4).key("k"));

    List<JobRequest> plan = plan("a");

    assertThat(plan).hasSize(1);
    JobRequest again = plan.get(0);
    assertThat(again.id()).isEqualTo("a-again");
    assertThat(again.command()).containsExactly("echo", "a");
    assertThat(again.priority()).isEqualTo(4);
    assertThat(again.dedup()).isEqualTo(aRequest("a").key("k").build().dedup());
    assertThat(again.labels()).containsEntry("retry-of", "a");
  }

  @Test
  void theDependenciesThatItFailedOfComeWithItAndTheOthersStay() throws RequestRefused {
    know(RequestState.FAILED, aRequest("top").dependsOn("good", "bad", "later", "runs", "nobody"));
    know(RequestState.SUCCEEDED, aRequest("good"));
    know(RequestState.FAILED, aRequest("bad").dependsOn("root", "good"));
    know(RequestState.CANCELLED, aRequest("later").dependsOn("root"));
    know(RequestState.RUNNING, aRequest("runs"));
    know(RequestState.FAILED, aRequest("root"));

    List<JobRequest> plan = plan("top");

    String root = RetryId.of("root", MESSAGE);
    String bad = RetryId.of("bad", MESSAGE);
    String later = RetryId.of("later", MESSAGE);
    assertThat(plan).extracting(JobRequest::id).containsExactly(root, bad, later, "a-again");
    assertThat(plan.get(1).dependsOn()).containsExactly(root, "good");
    assertThat(plan.get(2).dependsOn()).containsExactly(root);
    assertThat(plan.get(3).dependsOn()).containsExactly("good", bad, later, "runs", "nobody");
  }

  @Test
  void whatAConditionWaitedForIsNotTriedAgain() throws RequestRefused {
    know(
        RequestState.FAILED,
        aRequest("top")
            .dependsOn("failed", Condition.FAILED)
            .dependsOn("ended", Condition.ENDED)
            .dependsOn("bad", Condition.SUCCEEDED));
    know(RequestState.FAILED, aRequest("failed"));
    know(RequestState.CANCELLED, aRequest("ended"));
    know(RequestState.FAILED, aRequest("bad"));

    List<JobRequest> plan = plan("top");

    String bad = RetryId.of("bad", MESSAGE);
    assertThat(plan).extracting(JobRequest::id).containsExactly(bad, "a-again");
    assertThat(plan.get(1).dependencies())
        .containsExactly(
            new Dependency("failed", Condition.FAILED),
            new Dependency("ended", Condition.ENDED),
            Dependency.on(bad));
  }

  @Test
  void aMessageMakesTheSameIdsEachTimeAndAnotherOneMakesOthers() {
    assertThat(RetryId.of("a", "m-1")).isEqualTo(RetryId.of("a", "m-1"));
    assertThat(RetryId.of("a", "m-1")).isNotEqualTo(RetryId.of("a", "m-2"));
    assertThat(RetryId.of("a", "m-1")).startsWith("a.r").hasSize(11);
    assertThat(RetryId.of(RetryId.of("a", "m-1"), "m-2")).startsWith("a.r").hasSize(11);
    assertThat(RetryId.of("x".repeat(128), "m-1")).hasSize(128);
  }

  private List<JobRequest> plan(String request) throws RequestRefused {
    return Retrying.plan(request, MESSAGE, "a-again", known);
  }

  private void know(RequestState state, ARequest request) {
    JobRequest built = request.build();
    known.put(built.id(), new Ended(state, built.spec(), null));
  }
}
