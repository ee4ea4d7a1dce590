package io.stoker.dispatcher.service.intake;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.request.CycleCheck;
import io.stoker.common.request.JobRequest;
import io.stoker.dispatcher.dedup.Meaning;
import io.stoker.dispatcher.fairshare.QueueSettings;
import io.stoker.dispatcher.fairshare.Queues;
import io.stoker.dispatcher.intake.GroupDoor;
import io.stoker.dispatcher.intake.Intake;
import io.stoker.dispatcher.intake.Intake.Refusal;
import io.stoker.dispatcher.intake.Intake.Surroundings;
import io.stoker.dispatcher.intake.LineRoom;
import io.stoker.dispatcher.intake.Meanings;
import io.stoker.dispatcher.ledger.DependencyRow;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.service.postgres.Database;
import io.stoker.dispatcher.service.postgres.DependencyTable;
import io.stoker.dispatcher.service.postgres.ExperimentTable;
import io.stoker.dispatcher.service.postgres.JobTable;
import io.stoker.dispatcher.service.postgres.LedgerWriter;
import io.stoker.dispatcher.service.postgres.Locks;
import io.stoker.dispatcher.service.postgres.ReadyTable;
import io.stoker.dispatcher.service.postgres.RequestTable;
import io.stoker.dispatcher.store.JobLock;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/**
 * Loads what {@link Intake} needs, jobs before requests, in one round trip, and writes what it
 * decides.
 */
@ApplicationScoped
public class IntakeTransaction {
  private final Database database;
  private final Intake intake;
  private final Queues queues;

  IntakeTransaction(Database database, Intake intake, Queues queues) {
    this.database = database;
    this.intake = intake;
    this.queues = queues;
  }

  /** What became of a batch. */
  public record Accepted(Ledger ledger, List<Refusal> refusals) {}

  /** Accepts a batch, however long the database is away. */
  public Uni<Accepted> accept(List<JobRequest> batch) {
    return database.holdingJobs("intake", (session, how) -> accept(session, batch, how));
  }

  /** Remembers that ids were refused, however long the database is away. */
  public Uni<Ledger> refuse(List<RequestStatus> rejected) {
    return database.transaction(session -> refuse(session, rejected));
  }

  private static Uni<Ledger> refuse(StatelessSession session, List<RequestStatus> rejected) {
    List<String> ids = rejected.stream().map(RequestStatus::id).distinct().toList();
    return Database.now(session)
        .map(Ledger::new)
        .call(ledger -> RequestTable.lock(session, ids).invoke(ledger.requests()::loadAll))
        .invoke(
            ledger ->
                rejected.forEach(one -> Intake.refuse(ledger, one.id(), one.code(), one.reason())))
        .call(ledger -> LedgerWriter.write(session, ledger));
  }

  private Uni<Accepted> accept(StatelessSession session, List<JobRequest> batch, JobLock how) {
    Set<String> ids = new LinkedHashSet<>();
    batch.forEach(
        request -> {
          ids.add(request.id());
          ids.addAll(request.dependsOn());
        });
    boolean dependencies = batch.stream().anyMatch(request -> !request.dependsOn().isEmpty());
    Meanings meanings = new Meanings();
    return guardCycles(session, batch, dependencies)
        .chain(
            edges ->
                Uni.combine()
                    .all()
                    .unis(
                        load(session, batch, ids, meanings, how),
                        door(session, batch),
                        room(session, batch))
                    .asTuple()
                    .map(
                        read -> {
                          Ledger ledger = read.getItem1();
                          Surroundings among =
                              new Surroundings(edges, read.getItem3(), read.getItem2(), meanings);
                          return new Accepted(ledger, intake.accept(ledger, batch, among));
                        }))
        .call(accepted -> LedgerWriter.writeLast(session, accepted.ledger()));
  }

  private static Uni<GroupDoor> door(StatelessSession session, List<JobRequest> batch) {
    Set<String> groups =
        batch.stream().map(JobRequest::group).flatMap(Optional::stream).collect(Collectors.toSet());
    return ExperimentTable.lockShared(session, groups).map(GroupDoor::new);
  }

  private static Uni<Ledger> load(
      StatelessSession session,
      List<JobRequest> batch,
      Set<String> ids,
      Meanings meanings,
      JobLock how) {
    List<Meaning> known = meanings.of(batch);
    return Uni.combine()
        .all()
        .unis(
            JobTable.lockByFingerprint(session, Meaning.lookups(known), how),
            RequestTable.lock(session, ids))
        .combinedWith(
            (locked, requests) -> {
              Ledger ledger = locked.ledger();
              ledger.requests().loadAll(requests);
              return ledger;
            })
        .call(ledger -> JobTable.lockFurther(session, ledger, known, how));
  }

  /**
   * What the lines hold that have a limit; nothing is asked of others. Replicas that take requests
   * in at the same time do not see each other's: the limit may be passed by as many.
   */
  private Uni<LineRoom> room(StatelessSession session, List<JobRequest> batch) {
    Uni<LineRoom> room = Uni.createFrom().item(LineRoom::unlimited);
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
                  ReadyTable.count(session, queue.name(), most)
                      .map(queued -> known.with(queue, queued)));
    }
    return room;
  }

  /**
   * What the batch's dependencies wait for. Two replicas could each close one half of a cycle
   * without seeing the other's, so batches with dependencies take turns from here to their commit.
   */
  private static Uni<CycleCheck> guardCycles(
      StatelessSession session, List<JobRequest> batch, boolean dependencies) {
    if (!dependencies) {
      return Uni.createFrom().item(new CycleCheck());
    }
    Set<String> waitedFor =
        batch.stream()
            .flatMap(request -> request.dependsOn().stream())
            .collect(Collectors.toCollection(LinkedHashSet::new));
    return Locks.cycles(session)
        .chain(() -> DependencyTable.reachableFrom(session, waitedFor))
        .map(IntakeTransaction::edges);
  }

  private static CycleCheck edges(List<DependencyRow> rows) {
    CycleCheck edges = new CycleCheck();
    rows.forEach(row -> edges.add(row.dependent(), List.of(row.dependsOn())));
    return edges;
  }
}
