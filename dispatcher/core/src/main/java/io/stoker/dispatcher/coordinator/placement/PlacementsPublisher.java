package io.stoker.dispatcher.coordinator.placement;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.ToAgent;
import io.stoker.dispatcher.coordinator.agent.AgentSender;
import io.stoker.dispatcher.coordinator.end.CodedEnd;
import io.stoker.dispatcher.coordinator.placement.PlacementMessages.Current;
import io.stoker.dispatcher.coordinator.placement.UnsendablePlacements.Flaw;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.placement.Placing;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.runtime.Fault;
import io.stoker.dispatcher.runtime.InOrder;
import io.stoker.dispatcher.runtime.Isolation;
import io.stoker.dispatcher.store.Placements.Placed;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Publishes placements: for new attempts, and again for those not yet accepted. Each is for the
 * epoch that its host had before the attempt was seen to be open: one that was closed meanwhile,
 * since its host was lost, must not reach the host's next epoch.
 */
public final class PlacementsPublisher {
  private final Environment environment;
  private final PlacementMessages messages;
  private final AgentSender agents;
  private final UnsendablePlacements unsendable;
  private final Isolation<String> jobs;

  public PlacementsPublisher(
      Environment environment,
      PlacementMessages messages,
      AgentSender agents,
      UnsendablePlacements unsendable,
      CodedEnd ends) {
    this.environment = environment;
    this.messages = messages;
    this.agents = agents;
    this.unsendable = unsendable;
    jobs = ends.ofJobs("publishing its placement", job -> job, this::publishJobs);
  }

  /**
   * Publishes what a transaction placed, from what it held, unless more is needed: results of
   * dependencies, or what is known of host memory; or it is large. What fails is published again by
   * itself.
   *
   * @param epochs of the hosts when it began
   */
  Uni<Void> publish(Placing.Placed done, Map<String, Long> epochs) {
    List<Placed> placed = new ArrayList<>();
    List<AttemptRow> others = new ArrayList<>();
    for (AttemptRow attempt : done.opened()) {
      ToAgent.Place message = done.messages().get(attempt.key());
      if (message == null) {
        others.add(attempt);
      } else {
        placed.add(new Placed(attempt, message));
      }
    }
    List<AttemptRow> held = placed.stream().map(Placed::attempt).toList();
    return agents
        .tell(byHost(placed), epochs)
        .invoke(() -> jobs.succeeded(held.stream().map(AttemptRow::job).toList()))
        .onFailure(error -> environment.fault(error) == Fault.DATA)
        .recoverWithUni(() -> publish(held))
        .chain(() -> publish(others));
  }

  /**
   * Done when the broker has them, no more of them at once than can be held; attempts that closed
   * meanwhile are left out. What cannot be sent is ended.
   */
  public Uni<Void> publish(List<AttemptRow> attempts) {
    return jobs.apply(attempts.stream().map(AttemptRow::job).distinct().toList());
  }

  /** What fails by itself now will when its attempt is over and it stands in line again. */
  private Uni<Void> publishJobs(List<String> some) {
    return messages
        .slices(some)
        .chain(slices -> InOrder.each(slices, this::publishSlice))
        .onFailure(error -> some.size() == 1 && environment.fault(error) != Fault.OUTAGE)
        .invoke(() -> unsendable.leaveOut(some.getFirst()));
  }

  private Uni<Void> publishSlice(List<String> some) {
    return messages
        .current(some)
        .chain(
            current ->
                InOrder.each(
                    current.known().untold(),
                    attempts ->
                        messages.placed(current, attempts).chain(placed -> send(current, placed))));
  }

  private Uni<Void> send(Current current, List<Placed> placed) {
    List<Placed> good = new ArrayList<>();
    Map<AttemptRow, Flaw> bad = new LinkedHashMap<>();
    for (Placed one : placed) {
      if (current.left(one.attempt())) {
        continue;
      }
      unsendable
          .flaw(current, one)
          .ifPresentOrElse(found -> bad.put(one.attempt(), found), () -> good.add(one));
    }
    return agents
        .tell(byHost(good), current.epochs())
        .chain(
            () ->
                InOrder.each(
                    List.copyOf(bad.entrySet()),
                    one -> unsendable.end(one.getKey(), one.getValue())));
  }

  private static Map<String, List<ToAgent>> byHost(List<Placed> placed) {
    return placed.stream()
        .collect(
            Collectors.groupingBy(
                one -> one.attempt().host(),
                LinkedHashMap::new,
                Collectors.mapping(Placed::message, Collectors.toList())));
  }
}
