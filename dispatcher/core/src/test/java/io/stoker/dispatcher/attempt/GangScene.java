package io.stoker.dispatcher.attempt;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;

import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.AttemptEvent.Type;
import io.stoker.common.state.FailureCategory;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.scenario.AnEvent;
import io.stoker.dispatcher.scenario.Scene;
import org.junit.jupiter.api.BeforeEach;

/** A gang of three on three hosts. */
abstract class GangScene {
  final Scene scene = new Scene();

  @BeforeEach
  void placed() {
    scene.post(aRequest("g").resource("hosts", 3));
    scene.placeGang("g", "a", "b", "c");
  }

  AttemptRow member(int rank) {
    return scene.members("g").stream().filter(row -> row.rank() == rank).findFirst().orElseThrow();
  }

  void accept(int rank) {
    AttemptRow row = member(rank);
    scene.report(AnEvent.of(row, Type.ACCEPTED).devices("D" + rank).address(row.host() + ":40"));
  }

  void run() {
    for (int rank = 0; rank < 3; rank++) {
      accept(rank);
    }
    for (int rank = 0; rank < 3; rank++) {
      scene.report(AnEvent.of(member(rank), Type.RUNNING));
    }
  }

  void fail(int rank, FailureCategory category) {
    scene.report(
        AnEvent.ended(member(rank), Outcome.FAILED).category(category).message("rank " + rank));
  }

  void cancelled(int rank) {
    scene.report(AnEvent.ended(member(rank), Outcome.CANCELLED).message("killed"));
  }

  void succeed(int rank, String result) {
    scene.report(AnEvent.ended(member(rank), Outcome.SUCCEEDED).exitCode(0).result(result));
  }
}
