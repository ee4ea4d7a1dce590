package io.stoker.dispatcher.coordinator.placement;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.ToAgent;
import io.stoker.dispatcher.coordinator.agent.AgentTeller;
import io.stoker.dispatcher.coordinator.end.CodedEnd;
import io.stoker.dispatcher.coordinator.memory.MemoryBook;
import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.ledger.HostRow;
import io.stoker.dispatcher.placement.LeftOut;
import io.stoker.dispatcher.placement.Placing;
import io.stoker.dispatcher.placement.Sendable;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.runtime.Fault;
import io.stoker.dispatcher.runtime.InOrder;
import io.stoker.dispatcher.runtime.Isolation;
import io.stoker.dispatcher.runtime.SetAsides;
import io.stoker.dispatcher.store.Placements.Known;
import io.stoker.dispatcher.store.Placements.Placed;
import io.stoker.dispatcher.store.Store;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Publishes placements: for new attempts, and again for those not yet accepted. Each is for the
 * epoch that its host had before the attempt was seen to be open: one that was closed meanwhile,
 * since its host was lost, must not reach the host's next epoch.
 */
public final class PlacementsPublisher {
  private static final String STEP = "publishing its placement";

  private final Environment environment;
  private final Store store;
  private final AgentTeller agents;
  private final MemoryBook memory;
  private final UnsendablePlacements unsendable;
  private final LeftOut leftOut;
  private final Sendable sendable;
  private final Isolation<String> jobs;

  public PlacementsPublisher(
      Environment environment,
      Store store,
      AgentTeller agents,
      MemoryBook memory,
      UnsendablePlacements unsendable,
      LeftOut leftOut,
      Sendable sendable,
      SetAsides asides,
      CodedEnd ends) {
    this.environment = environment;
    this.store = store;
    this.agents = agents;
    this.memory = memory;
    this.unsendable = unsendable;
    this.leftOut = leftOut;
    this.sendable = sendable;
    jobs =
        asides.isolation(
            STEP, job -> job, this::publishJobs, (job, reason) -> ends.job(job, STEP, reason));
  }

  private record Current(Known known, Map<String, HostRow> hosts) {
    Map<String, Long> epochs() {
      return HostRow.epochs(List.copyOf(hosts.values()));
    }

    /** What an earlier agent may have accepted: the one that is there must not run it. */
    boolean left(AttemptRow attempt) {
      HostRow row = hosts.get(attempt.host());
      return row != null && row.left(attempt);
    }
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
    return store
        .read(tx -> tx.placements().slices(some))
        .chain(slices -> InOrder.each(slices, this::publishSlice))
        .onFailure(error -> some.size() == 1 && environment.fault(error) != Fault.OUTAGE)
        .invoke(() -> leftOut.failed(some.getFirst()));
  }

  private Uni<Void> publishSlice(List<String> some) {
    return store
        .read(
            tx ->
                tx.hosts()
                    .all()
                    .chain(
                        hosts ->
                            tx.placements()
                                .known(some)
                                .map(known -> new Current(known, byId(hosts)))))
        .chain(
            current ->
                InOrder.each(current.known().untold(), attempts -> publish(current, attempts)));
  }

  private static Map<String, HostRow> byId(List<HostRow> hosts) {
    return hosts.stream().collect(Collectors.toMap(HostRow::id, host -> host));
  }

  private Uni<Void> publish(Current current, List<AttemptRow> some) {
    return store
        .read(
            tx -> tx.placements().placed(current.known(), some, keys -> memory.estimates(tx, keys)))
        .chain(placed -> send(current, placed));
  }

  private Uni<Void> send(Current current, List<Placed> placed) {
    List<Placed> good = new ArrayList<>();
    Map<AttemptRow, String> bad = new LinkedHashMap<>();
    for (Placed one : placed) {
      if (current.left(one.attempt())) {
        continue;
      }
      obstacle(current, one)
          .ifPresentOrElse(reason -> bad.put(one.attempt(), reason), () -> good.add(one));
    }
    return agents
        .tell(byHost(good), current.epochs())
        .chain(
            () ->
                InOrder.each(
                    List.copyOf(bad.entrySet()),
                    one -> unsendable.end(one.getKey(), one.getValue())));
  }

  private Optional<String> obstacle(Current current, Placed placed) {
    String host = placed.attempt().host();
    HostRow row = current.hosts().get(host);
    return sendable.obstacle(
        placed.message(),
        current.known().bytes(placed.attempt()),
        host,
        row == null ? null : row.resources());
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
