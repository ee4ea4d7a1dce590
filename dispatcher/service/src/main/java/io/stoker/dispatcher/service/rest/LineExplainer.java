package io.stoker.dispatcher.service.rest;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.HostMessage.HostResources;
import io.stoker.dispatcher.coordinator.fairshare.QueueStandings;
import io.stoker.dispatcher.coordinator.memory.MemoryBook;
import io.stoker.dispatcher.coordinator.placement.HostAvailability;
import io.stoker.dispatcher.coordinator.placement.Scheduler;
import io.stoker.dispatcher.memory.Estimate;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.model.MemoryKeys;
import io.stoker.dispatcher.placement.HostAnswer;
import io.stoker.dispatcher.placement.HostMemory;
import io.stoker.dispatcher.placement.HostMemoryView;
import io.stoker.dispatcher.placement.Memory;
import io.stoker.dispatcher.placement.MemoryView;
import io.stoker.dispatcher.placement.PlacementPass;
import io.stoker.dispatcher.placement.Preemption;
import io.stoker.dispatcher.placement.QueueHead;
import io.stoker.dispatcher.placement.Running;
import io.stoker.dispatcher.placement.Snapshot;
import io.stoker.dispatcher.placement.UnschedulableReason;
import io.stoker.dispatcher.service.postgres.ApiQueries;
import io.stoker.dispatcher.service.postgres.ApiQueries.Taking;
import io.stoker.dispatcher.service.postgres.AttemptTable;
import io.stoker.dispatcher.service.postgres.Database;
import io.stoker.dispatcher.service.postgres.HostTable;
import io.stoker.dispatcher.service.postgres.LineQueries;
import io.stoker.dispatcher.service.postgres.PlacementQueries;
import io.stoker.dispatcher.service.postgres.PostgresTransaction;
import io.stoker.dispatcher.service.rest.Explanation.InLine;
import io.stoker.dispatcher.service.rest.Explanation.Line;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/**
 * Gathers what is known of a job in line. The replica that schedules knows most: what room is kept
 * for, who has returned such jobs, and how fast the queue goes on.
 */
@ApplicationScoped
public class LineExplainer {
  private static final int NAMED = 5;

  /** Of each kind of room; so that the longest line costs some milliseconds and no more. */
  private static final int COUNTED = 10_000;

  private final Scheduler scheduler;
  private final HostAvailability availability;
  private final QueueStandings standings;
  private final MemoryBook memory;
  private final PoolExplainer pools;

  LineExplainer(
      Scheduler scheduler,
      HostAvailability availability,
      QueueStandings standings,
      MemoryBook memory,
      PoolExplainer pools) {
    this.scheduler = scheduler;
    this.availability = availability;
    this.standings = standings;
    this.memory = memory;
    this.pools = pools;
  }

  Uni<InLine> of(StatelessSession session, QueueHead head) {
    return LineQueries.countAhead(session, head, COUNTED)
        .chain(
            ahead ->
                LineQueries.firstAhead(session, head, NAMED)
                    .map(
                        first ->
                            new Line(
                                head.queue(),
                                ahead.jobs() + 1,
                                ahead.jobs() >= COUNTED,
                                ahead.never(),
                                first)))
        .chain(
            line ->
                memory
                    .estimates(new PostgresTransaction(session), head.memory().bothKeys().toList())
                    .map(known -> MemoryView.expecting(List.of(head), known).getFirst())
                    .chain(known -> fleet(session, known))
                    .chain(
                        fleet ->
                            awaited(session, head.job())
                                .map(awaited -> inLine(line, fleet, head, awaited))
                                .chain(in -> withHolders(session, fleet, in))));
  }

  private static Uni<InLine> withHolders(StatelessSession session, Fleet fleet, InLine in) {
    boolean gpus = fleet.snapshot().heads().getFirst().shape().gpus() > 0;
    Holders holders = Holders.of(in.hosts(), fleet.open(), gpus);
    return ApiQueries.firstRequests(session, holders.jobs())
        .map(requests -> in.answered(holders.tell(in.hosts(), requests, fleet.snapshot().now())));
  }

  /**
   * The hosts as a pass would see them now.
   *
   * @param rows what is known of each
   * @param open what is placed on them
   */
  private record Fleet(Snapshot snapshot, List<HostRow> rows, List<AttemptRow> open) {
    /** What each has told of itself. */
    Map<String, HostResources> resources() {
      return rows.stream().collect(Collectors.toMap(HostRow::id, HostRow::resources));
    }
  }

  /** Who is being ended for it; nobody is asked for where nobody is. */
  private static Uni<List<Running>> awaited(StatelessSession session, String job) {
    return new AttemptTable(session)
        .all()
        .chain(
            open -> {
              List<AttemptRow> ending =
                  open.stream().filter(row -> Preemption.isFor(row, job)).toList();
              return new PlacementQueries(session).running(ending, open);
            });
  }

  /**
   * What is known of the memory that a job takes.
   *
   * @param onGpus null if it asks for no GPU
   * @param ofHost null if it takes none of its own
   */
  record Taken(MemoryView onGpus, HostMemoryView ofHost) {}

  Uni<Optional<Taken>> memory(StatelessSession session, String job) {
    return ApiQueries.taking(session, job)
        .chain(
            found ->
                found.isEmpty()
                    ? Uni.createFrom().item(Optional.<Taken>empty())
                    : memory
                        .estimates(
                            new PostgresTransaction(session),
                            found.get().memory().bothKeys().toList())
                        .map(known -> Optional.of(taken(found.get(), known))));
  }

  private static Taken taken(Taking job, Map<MemoryKeys, Estimate> known) {
    Memory memory = job.memory();
    HostMemory ofHost = memory.ofHost();
    return new Taken(
        job.shape().gpus() == 0 || job.shape().nodeGpus() > 0
            ? null
            : MemoryView.of(job.shape(), memory.ranOut(), known.get(memory.keys())),
        job.shape().onHost()
            ? HostMemoryView.of(job.shape(), ofHost.expecting(known.get(ofHost.keys())))
            : null);
  }

  private InLine inLine(Line line, Fleet fleet, QueueHead head, List<Running> awaited) {
    Snapshot snapshot = fleet.snapshot();
    QueueHead asked = snapshot.heads().getFirst();
    Optional<UnschedulableReason> preempting =
        awaited.isEmpty() ? Optional.empty() : Optional.of(UnschedulableReason.preempting(awaited));
    return new InLine(
        line,
        preempting.or(() -> why(snapshot, head.job())).orElse(null),
        answers(fleet, asked),
        scheduler
            .expected(line.queue(), line.place() - 1 - line.never(), snapshot.now())
            .orElse(null));
  }

  private List<HostAnswer> answers(Fleet fleet, QueueHead asked) {
    String pool = asked.shape().pool();
    List<HostAnswer> answers = HostAnswer.of(fleet.snapshot(), asked);
    return pool == null ? answers : pools.of(answers, pool, fleet.resources());
  }

  /** The scheduler's own reason where this replica has it, else what a pass would say now. */
  private Optional<UnschedulableReason> why(Snapshot snapshot, String job) {
    return scheduler
        .whyUnplaced(job)
        .or(
            () ->
                Optional.ofNullable(
                    PlacementPass.decide(snapshot, Long.MAX_VALUE).unplaced().get(job)));
  }

  private Uni<Fleet> fleet(StatelessSession session, QueueHead head) {
    return new HostTable(session)
        .all()
        .chain(
            rows ->
                new AttemptTable(session)
                    .all()
                    .chain(
                        open ->
                            Database.now(session)
                                .map(
                                    now ->
                                        new Fleet(snapshot(rows, open, head, now), rows, open))));
  }

  private Snapshot snapshot(List<HostRow> rows, List<AttemptRow> open, QueueHead head, long now) {
    return new Snapshot(availability.hosts(rows, open, now), availability.heads(List.of(head)))
        .shared(
            standings.of(List.of(), open, Set.of(head.queue()), now),
            scheduler.reservations(),
            now);
  }
}
