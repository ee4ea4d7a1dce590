package io.stoker.dispatcher.coordinator.intake;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.request.CycleCheck;
import io.stoker.common.request.JobRequest;
import io.stoker.dispatcher.coordinator.placement.ImmediatePlacements;
import io.stoker.dispatcher.dedup.Meaning;
import io.stoker.dispatcher.fairshare.QueueSettings;
import io.stoker.dispatcher.fairshare.Queues;
import io.stoker.dispatcher.intake.GroupAdmission;
import io.stoker.dispatcher.intake.Intake;
import io.stoker.dispatcher.intake.Intake.Refusal;
import io.stoker.dispatcher.intake.Intake.Surroundings;
import io.stoker.dispatcher.intake.Meanings;
import io.stoker.dispatcher.intake.QueueLimits;
import io.stoker.dispatcher.model.DependencyRow;
import io.stoker.dispatcher.model.MemoryKeys;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.placement.ImmediatePlacement;
import io.stoker.dispatcher.placement.ImmediatePlacement.Done;
import io.stoker.dispatcher.store.JobLock;
import io.stoker.dispatcher.store.Store;
import io.stoker.dispatcher.store.Transaction;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Loads what {@link Intake} needs, jobs before requests, in one round trip, and writes what it
 * decides.
 */
public record IntakeTransaction(
    Store store, Intake intake, Queues queues, ImmediatePlacements placements) {
  /**
   * What became of a batch.
   *
   * @param placed what was placed at once
   */
  public record Accepted(UnitOfWork unit, List<Refusal> refusals, Optional<Done> placed) {}

  /** Accepts a batch of nobody knows whom, however long the store is away. */
  public Uni<Accepted> accept(List<JobRequest> batch) {
    return accept(batch, Map.of());
  }

  /**
   * Accepts a batch, however long the store is away, and places of it what it can. What it cannot
   * place must not keep it out.
   *
   * @param senders who has posted them by id, where that is known
   */
  public Uni<Accepted> accept(List<JobRequest> batch, Map<String, String> senders) {
    Uni<Accepted> accepted =
        store.holdingJobs("intake", (tx, how) -> accept(tx, batch, senders, how));
    return accepted
        .onFailure(any -> placements.failed())
        .recoverWithUni(accepted)
        .invoke(
            done ->
                done.placed().ifPresent(placed -> placements.committed(placed, done.unit().now())));
  }

  /** Remembers that ids were refused, however long the store is away. */
  public Uni<UnitOfWork> refuse(List<RequestStatus> rejected) {
    return store.transaction("refusals", tx -> refuse(tx, rejected));
  }

  private static Uni<UnitOfWork> refuse(Transaction tx, List<RequestStatus> rejected) {
    List<String> ids = rejected.stream().map(RequestStatus::id).distinct().toList();
    return tx.now()
        .map(UnitOfWork::new)
        .call(unit -> tx.requests().lock(ids).invoke(unit.requests()::loadAll))
        .invoke(
            unit ->
                rejected.forEach(one -> Intake.refuse(unit, one.id(), one.code(), one.reason())))
        .call(unit -> tx.write(unit));
  }

  private Uni<Accepted> accept(
      Transaction tx, List<JobRequest> batch, Map<String, String> senders, JobLock how) {
    Set<String> ids = new LinkedHashSet<>();
    batch.forEach(
        request -> {
          ids.add(request.id());
          ids.addAll(request.dependsOn());
        });
    boolean dependencies = batch.stream().anyMatch(request -> !request.dependsOn().isEmpty());
    Meanings meanings = new Meanings(queues);
    return guardCycles(tx, batch, dependencies)
        .chain(
            edges ->
                Uni.combine()
                    .all()
                    .unis(
                        load(tx, batch, ids, meanings, how),
                        admission(tx, batch),
                        room(tx, batch),
                        placements.look(tx, likely(batch, meanings)))
                    .asTuple()
                    .chain(
                        read -> {
                          UnitOfWork unit = read.getItem1();
                          GroupAdmission groups = read.getItem2();
                          Surroundings among =
                              new Surroundings(edges, read.getItem3(), groups, meanings, senders);
                          List<Refusal> refusals = intake.accept(unit, batch, among);
                          return placements
                              .place(tx, unit, read.getItem4(), groups::plans)
                              .map(placed -> new Accepted(unit, refusals, placed));
                        }))
        .call(accepted -> tx.writeLast(accepted.unit()));
  }

  /**
   * Whose memory is read beside all else: of many, which are in line most likely, a pass reads it.
   */
  private static List<MemoryKeys> likely(List<JobRequest> batch, Meanings meanings) {
    return batch.size() < ImmediatePlacement.MOST_IN_LINE ? meanings.memory(batch) : List.of();
  }

  /**
   * Whose the groups are is asked only where queues are kept apart. Replicas that take the first
   * requests of a group in at the same time do not see each other's.
   */
  private Uni<GroupAdmission> admission(Transaction tx, List<JobRequest> batch) {
    Set<String> groups =
        batch.stream().map(JobRequest::group).flatMap(Optional::stream).collect(Collectors.toSet());
    Uni<Map<String, String>> whose =
        queues.someApart() && !groups.isEmpty()
            ? tx.groups().queues(groups)
            : Uni.createFrom().item(Map.of());
    return Uni.combine()
        .all()
        .unis(tx.experiments().lockShared(groups), whose)
        .with((planned, first) -> new GroupAdmission(planned, first));
  }

  private static Uni<UnitOfWork> load(
      Transaction tx, List<JobRequest> batch, Set<String> ids, Meanings meanings, JobLock how) {
    List<Meaning> known = meanings.of(batch);
    return Uni.combine()
        .all()
        .unis(tx.jobs().lockByFingerprint(Meaning.lookups(known), how), tx.requests().lock(ids))
        .combinedWith(
            (locked, requests) -> {
              UnitOfWork unit = locked.unit();
              unit.requests().loadAll(requests);
              return unit;
            })
        .call(unit -> tx.jobs().lockFurther(unit, Meaning.further(unit, known), how));
  }

  /**
   * What the lines hold that have a limit; nothing is asked of others. Replicas that take requests
   * in at the same time do not see each other's: the limit may be passed by as many.
   */
  private Uni<QueueLimits> room(Transaction tx, List<JobRequest> batch) {
    Uni<QueueLimits> room = Uni.createFrom().item(QueueLimits::unlimited);
    List<QueueSettings> limited =
        batch.stream()
            .map(JobRequest::queue)
            .distinct()
            .map(queues::of)
            .filter(queue -> queue.maxQueued().isPresent())
            .toList();
    for (QueueSettings queue : limited) {
      int most = queue.maxQueued().getAsInt();
      room =
          room.chain(
              known ->
                  tx.line().count(queue.name(), most).map(queued -> known.with(queue, queued)));
    }
    return room;
  }

  /**
   * What the batch's dependencies wait for. Two replicas could each close one half of a cycle
   * without seeing the other's, so batches with dependencies take turns from here to their commit.
   */
  private static Uni<CycleCheck> guardCycles(
      Transaction tx, List<JobRequest> batch, boolean dependencies) {
    if (!dependencies) {
      return Uni.createFrom().item(new CycleCheck());
    }
    Set<String> waitedFor =
        batch.stream()
            .flatMap(request -> request.dependsOn().stream())
            .collect(Collectors.toCollection(LinkedHashSet::new));
    return tx.dependencies()
        .lockCycles()
        .chain(() -> tx.dependencies().reachableFrom(waitedFor))
        .map(IntakeTransaction::edges);
  }

  private static CycleCheck edges(List<DependencyRow> rows) {
    CycleCheck edges = new CycleCheck();
    rows.forEach(row -> edges.add(row.dependent(), List.of(row.dependsOn())));
    return edges;
  }
}
