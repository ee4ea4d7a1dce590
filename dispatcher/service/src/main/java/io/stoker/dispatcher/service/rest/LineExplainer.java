package io.stoker.dispatcher.service.rest;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.HostMessage.Heartbeat;
import io.stoker.common.message.HostMessage.HostResources;
import io.stoker.common.message.HostMessage.PoolState;
import io.stoker.dispatcher.fairshare.FairShare;
import io.stoker.dispatcher.lease.HostDirectory;
import io.stoker.dispatcher.lease.Refusals;
import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.ledger.HostRow;
import io.stoker.dispatcher.ledger.MemoryKeys;
import io.stoker.dispatcher.memory.Estimate;
import io.stoker.dispatcher.placement.FleetView;
import io.stoker.dispatcher.placement.Head;
import io.stoker.dispatcher.placement.HostAnswer;
import io.stoker.dispatcher.placement.HostMemory;
import io.stoker.dispatcher.placement.HostMemoryView;
import io.stoker.dispatcher.placement.Memory;
import io.stoker.dispatcher.placement.MemoryView;
import io.stoker.dispatcher.placement.PlacementPass;
import io.stoker.dispatcher.placement.Preemption;
import io.stoker.dispatcher.placement.Running;
import io.stoker.dispatcher.placement.Snapshot;
import io.stoker.dispatcher.placement.Unplaced;
import io.stoker.dispatcher.service.fairshare.UsageBook;
import io.stoker.dispatcher.service.kinds.KindsBook;
import io.stoker.dispatcher.service.memory.MemoryBook;
import io.stoker.dispatcher.service.placement.Scheduler;
import io.stoker.dispatcher.service.placement.SuspectBook;
import io.stoker.dispatcher.service.postgres.ApiQueries;
import io.stoker.dispatcher.service.postgres.ApiQueries.Taking;
import io.stoker.dispatcher.service.postgres.AttemptTable;
import io.stoker.dispatcher.service.postgres.Database;
import io.stoker.dispatcher.service.postgres.HostTable;
import io.stoker.dispatcher.service.postgres.LineQueries;
import io.stoker.dispatcher.service.postgres.PlacementQueries;
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
  private final HostDirectory directory;
  private final Refusals refusals;
  private final FairShare shares;
  private final UsageBook usage;
  private final MemoryBook memory;
  private final SuspectBook suspects;
  private final KindsBook kinds;

  LineExplainer(
      Scheduler scheduler,
      HostDirectory directory,
      Refusals refusals,
      FairShare shares,
      UsageBook usage,
      MemoryBook memory,
      SuspectBook suspects,
      KindsBook kinds) {
    this.scheduler = scheduler;
    this.directory = directory;
    this.refusals = refusals;
    this.shares = shares;
    this.usage = usage;
    this.memory = memory;
    this.suspects = suspects;
    this.kinds = kinds;
  }

  Uni<InLine> of(StatelessSession session, Head head) {
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
                    .estimates(session, head.memory().bothKeys().toList())
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
    return AttemptTable.all(session)
        .chain(
            open -> {
              List<AttemptRow> ending =
                  open.stream().filter(row -> Preemption.isFor(row, job)).toList();
              return PlacementQueries.running(session, ending, open);
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
                        .estimates(session, found.get().memory().bothKeys().toList())
                        .map(known -> Optional.of(taken(found.get(), known))));
  }

  private static Taken taken(Taking job, Map<MemoryKeys, Estimate> known) {
    Memory memory = job.memory();
    HostMemory ofHost = memory.ofHost();
    return new Taken(
        job.shape().gpus() == 0 || job.shape().nodeGpus() > 0
            ? null
            : MemoryView.of(job.shape(), memory.ranOut(), known.get(memory.keys())),
        job.shape().takesHostMemory()
            ? HostMemoryView.of(job.shape(), ofHost.expecting(known.get(ofHost.keys())))
            : null);
  }

  private InLine inLine(Line line, Fleet fleet, Head head, List<Running> awaited) {
    Snapshot snapshot = fleet.snapshot();
    Head asked = snapshot.heads().getFirst();
    Optional<Unplaced> preempting =
        awaited.isEmpty() ? Optional.empty() : Optional.of(Unplaced.preempting(awaited));
    return new InLine(
        line,
        preempting.or(() -> why(snapshot, head.job())).orElse(null),
        answers(fleet, asked),
        scheduler
            .expected(line.queue(), line.place() - 1 - line.never(), snapshot.now())
            .orElse(null));
  }

  private List<HostAnswer> answers(Fleet fleet, Head asked) {
    String pool = asked.shape().pool();
    List<HostAnswer> answers = HostAnswer.of(fleet.snapshot(), asked);
    return pool == null
        ? answers
        : answers.stream()
            .map(
                one ->
                    PoolWords.in(
                        one,
                        pool,
                        kinds.current(),
                        Optional.ofNullable(fleet.resources().get(one.host())),
                        report(one.host(), pool)))
            .toList();
  }

  private Optional<PoolState> report(String host, String pool) {
    return directory
        .lastHeartbeat(host)
        .map(Heartbeat::pools)
        .flatMap(pools -> pools.stream().filter(one -> one.name().equals(pool)).findFirst());
  }

  /** The scheduler's own reason where this replica has it, else what a pass would say now. */
  private Optional<Unplaced> why(Snapshot snapshot, String job) {
    return scheduler
        .whyUnplaced(job)
        .or(
            () ->
                Optional.ofNullable(
                    PlacementPass.decide(snapshot, Long.MAX_VALUE).unplaced().get(job)));
  }

  private Uni<Fleet> fleet(StatelessSession session, Head head) {
    return new HostTable(session)
        .all()
        .chain(
            rows ->
                AttemptTable.all(session)
                    .chain(
                        open ->
                            Database.now(session)
                                .map(
                                    now ->
                                        new Fleet(snapshot(rows, open, head, now), rows, open))));
  }

  private Snapshot snapshot(List<HostRow> rows, List<AttemptRow> open, Head head, long now) {
    Snapshot all =
        FleetView.of(
            rows, open, List.of(head), directory::alive, directory::lastHeartbeat, refusals::hosts);
    return all.of(suspects.apply(all.hosts(), rows, open, now))
        .shared(
            shares.standings(usage.ended(), open, Set.of(head.queue()), now),
            scheduler.claims(),
            now);
  }
}
