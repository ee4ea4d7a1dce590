package io.stoker.dispatcher.attempt;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;

import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.scenario.AnEvent;
import io.stoker.dispatcher.scenario.Scene;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;

/** A request that was posted and placed on host {@code h1}, and events of its attempt. */
abstract class Reporting {
  final Scene scene = new Scene();

  AttemptRow attempt;

  @BeforeEach
  final void placeOne() {
    scene.post(aRequest("a"));
    attempt = scene.place("a", "h1");
  }

  /** What reports of events, in this order, change. */
  final AttemptReports.Outcome apply(AnEvent... events) {
    List<AttemptReports.Outcome> outcomes = new ArrayList<>();
    scene.transaction(
        unit ->
            outcomes.add(
                AttemptReports.apply(
                    unit, Arrays.stream(events).map(AnEvent::report).toList(), Backoff.NONE)));
    return outcomes.get(0);
  }

  /** What a report changes, before it is written. */
  final UnitOfWork report(AnEvent event) {
    return scene.transaction(
        unit -> AttemptReports.apply(unit, List.of(event.report()), Backoff.NONE));
  }
}
