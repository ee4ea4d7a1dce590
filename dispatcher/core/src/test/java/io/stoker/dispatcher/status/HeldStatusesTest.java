package io.stoker.dispatcher.status;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.scenario.ARequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class HeldStatusesTest {
  private final HeldStatuses held = new HeldStatuses();
  private final List<String> told = new ArrayList<>();

  @Test
  void ofARequestOnlyTheNewestIsPublished_andAllAreTold() {
    hold("first", status("a", 1), status("b", 1));
    hold("second", status("a", 2));
    hold("late", status("a", 1));

    HeldStatuses.Taken taken = held.takeAll();

    assertThat(shown(taken)).containsExactly("a/2", "b/1");
    assertThat(told).isEmpty();
    held.done(taken, null);
    assertThat(told).containsExactlyInAnyOrder("first", "second", "late");
    assertThat(held.takeAll().statuses()).isEmpty();
  }

  @Test
  void whatWaitsForNothingTakesThePlaceOfWhatIsHeld() {
    hold("queued", status("a", 1), status("b", 1));

    HeldStatuses.Taken taken = held.take(List.of(status("a", 3), status("c", 1)));

    assertThat(shown(taken)).containsExactly("a/3", "c/1");
    held.done(taken, null);
    assertThat(told).as("b is still held").isEmpty();
    held.done(held.takeAll(), null);
    assertThat(told).containsExactly("queued");
  }

  @Test
  void ofAnOlderOneThatWaitsForNothingTheHeldOneIsPublished() {
    hold("newer", status("a", 5));

    assertThat(shown(held.take(List.of(status("a", 4))))).containsExactly("a/5");
  }

  @Test
  void whatCannotBePublishedIsToldToWhoWaits() {
    hold("one", status("a", 1));

    held.done(held.takeAll(), new IllegalStateException("no"));

    assertThat(told).containsExactly("one: no");
  }

  @Test
  void itKnowsAboutHowMuchItHolds() {
    hold("x", status("a", 1), status("a", 2), status("b", 1));
    long two = held.bytes();
    held.take(List.of(status("a", 3)));

    assertThat(two).isPositive();
    assertThat(held.bytes()).isEqualTo(two / 2);
    held.takeAll();
    assertThat(held.bytes()).isZero();
  }

  private void hold(String name, RequestStatus... statuses) {
    held.hold(
        List.of(statuses),
        error -> told.add(error == null ? name : name + ": " + error.getMessage()));
  }

  private static List<String> shown(HeldStatuses.Taken taken) {
    return taken.statuses().stream().map(one -> one.id() + "/" + one.version()).toList();
  }

  private static RequestStatus status(String id, long version) {
    RequestRow row = RequestRow.arrived(ARequest.aRequest(id).build(), 0, version, false);
    RequestStatus status = StatusView.of(row, Optional.empty(), 0).orElseThrow();
    assertThat(status.state()).isEqualTo(RequestState.WAITING);
    assertThat(status.version()).isEqualTo(version);
    return status;
  }
}
