package io.stoker.dispatcher.intake;

import io.stoker.common.request.CycleCheck;
import io.stoker.common.request.JobRequest;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.dedup.Binding;
import io.stoker.dispatcher.dedup.Meaning;
import io.stoker.dispatcher.model.Arrival;
import io.stoker.dispatcher.model.DependencyRow;
import io.stoker.dispatcher.model.FanOutRow;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.model.TimerRow;
import io.stoker.dispatcher.model.UnitOfWork;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Accepts a batch of valid requests.
 *
 * <p>The unit of work must hold the existing rows of all ids that the batch names, and the jobs
 * with a role for the fingerprints of those without dependencies. A request with dependencies is
 * never bound here, not even when all of them have succeeded: each dependency that exists gets a
 * fan-out, which settles it in a transaction of its own. So intake needs no locks on what it
 * depends on.
 */
public record Intake(Binding binding) {
  /** What is not accepted, and how to answer it. */
  public sealed interface Refusal {
    JobRequest request();

    /** Why, for people. */
    String sentence();

    /** Of its status; null if it gets none. */
    Code code();

    /** The id belongs to an accepted request with other content. */
    record IdTaken(JobRequest request) implements Refusal {
      @Override
      public String sentence() {
        return "id: " + request.id() + " belongs to an accepted request with other content";
      }

      @Override
      public Code code() {
        return null;
      }
    }

    /**
     * Its dependencies would wait for each other.
     *
     * @param path the cycle, its first id repeated at the end
     */
    record Cycle(JobRequest request, List<String> path) implements Refusal {
      @Override
      public String sentence() {
        return "dependsOn: would close the cycle " + String.join(" -> ", path);
      }

      @Override
      public Code code() {
        return Code.DEPENDENCY_CYCLE;
      }
    }

    /**
     * It names a request or a group of a queue that is kept apart from its own.
     *
     * @param sentence which one
     */
    record Apart(JobRequest request, String sentence) implements Refusal {
      @Override
      public Code code() {
        return Code.INVALID_REQUEST;
      }
    }

    /**
     * Its queue's line is full.
     *
     * @param sentence with figures
     */
    record Full(JobRequest request, String sentence) implements Refusal {
      @Override
      public Code code() {
        return Code.QUEUE_FULL;
      }
    }
  }

  /**
   * What a batch comes into.
   *
   * @param edges dependencies that are not settled yet, reachable from the batch's dependencies
   * @param room in the lines of queues that have a limit
   * @param groups what those of the batch mean for it
   * @param meanings of the batch, as far as they are known
   * @param senders who has posted those of it by id, where that is known
   */
  public record Surroundings(
      CycleCheck edges,
      QueueLimits room,
      GroupAdmission groups,
      Meanings meanings,
      Map<String, String> senders) {
    /** Of nobody knows whom. */
    public Surroundings(
        CycleCheck edges, QueueLimits room, GroupAdmission groups, Meanings meanings) {
      this(edges, room, groups, meanings, Map.of());
    }
  }

  /**
   * As {@link #accept(UnitOfWork, List, Surroundings)} where no queue has a limit and no group a
   * plan. Returns what was refused.
   */
  public List<Refusal> accept(UnitOfWork unit, List<JobRequest> batch, CycleCheck edges) {
    return accept(
        unit,
        batch,
        new Surroundings(
            edges, QueueLimits.unlimited(), GroupAdmission.open(), new Meanings(binding.queues())));
  }

  /**
   * Accepts what can be accepted.
   *
   * @param batch in order of arrival
   * @return what was refused
   */
  public List<Refusal> accept(UnitOfWork unit, List<JobRequest> batch, Surroundings among) {
    List<Refusal> refusals = new ArrayList<>();
    long seq = Arrival.first(unit.now());
    for (JobRequest request : batch) {
      accept(unit, request, among, seq++).ifPresent(refusals::add);
    }
    return refusals;
  }

  private Optional<Refusal> accept(
      UnitOfWork unit, JobRequest request, Surroundings among, long seq) {
    Optional<RequestRow> existing = unit.requests().find(request.id());
    if (existing.isPresent() && !existing.get().isPlaceholder()) {
      if (!existing.get().spec().equals(request.spec())) {
        return Optional.of(new Refusal.IdTaken(request));
      }
      unit.publishNamed(request.id());
      return Optional.empty();
    }
    // Before the cycle, which would name what others' requests wait for.
    Optional<String> apart =
        apart(unit, request).or(() -> among.groups().whyApart(request, binding.queues()));
    if (apart.isPresent()) {
      return Optional.of(refused(unit, new Refusal.Apart(request, apart.get())));
    }
    Optional<List<String>> cycle = among.edges().closedBy(request.id(), request.dependsOn());
    if (cycle.isPresent()) {
      // Nobody ends for it: which of them is wrong its producer knows, who may post any of them
      // anew.
      return Optional.of(new Refusal.Cycle(request, cycle.get()));
    }
    Optional<Meaning> meaning = among.meanings().of(request);
    if (needsPlace(unit, request, meaning)) {
      String full = among.room().full(request.queue());
      if (full != null) {
        return Optional.of(refused(unit, new Refusal.Full(request, full)));
      }
      if (request.dependsOn().isEmpty()) {
        among.room().entered(request.queue());
      }
    }
    among.groups().entered(request);
    boolean stop = existing.map(RequestRow::stopRequested).orElse(false);
    Optional<String> closed = among.groups().refusal(request);
    JobRequest filled = among.groups().filled(request);
    RequestRow row =
        RequestRow.arrived(filled, seq, unit.now(), stop).sentBy(among.senders().get(request.id()));
    unit.requests().put(row);
    unit.publishNamed(request.id());
    if (stop) {
      String why = existing.get().reason();
      unit.requests().put(row.ended(RequestState.CANCELLED, Code.CANCELLED, why, unit.now()));
    } else if (closed.isPresent()) {
      unit.requests()
          .put(row.ended(RequestState.CANCELLED, Code.CANCELLED, closed.get(), unit.now()));
    } else if (request.dependsOn().isEmpty()) {
      binding.bind(unit, row, filled, meaning);
    } else {
      await(unit, request, among.edges());
    }
    if (existing.isPresent()) {
      // Others named it before it came, and it may have ended by what was just decided.
      unit.fanOut(FanOutRow.Kind.DEPENDENTS, request.id());
    }
    return Optional.empty();
  }

  /** Why it may not depend on what it depends on, if so. */
  private Optional<String> apart(UnitOfWork unit, JobRequest request) {
    return request.dependsOn().stream()
        .flatMap(id -> unit.requests().find(id).stream())
        .flatMap(row -> binding.queues().whyApart(request.queue(), row.id(), row.queue()).stream())
        .findFirst();
  }

  private static Refusal refused(UnitOfWork unit, Refusal refusal) {
    refuse(unit, refusal.request().id(), refusal.code(), refusal.sentence());
    return refusal;
  }

  /**
   * Remembers that an id was refused, unless a request has it: who waits for it ends at once, and
   * so does who comes to wait for it, until a request of this id is accepted.
   */
  public static void refuse(UnitOfWork unit, String id, Code code, String sentence) {
    Optional<RequestRow> known = unit.requests().find(id);
    if (known.filter(row -> !row.isPlaceholder()).isPresent()) {
      return;
    }
    RequestRow row = known.orElseGet(() -> RequestRow.placeholder(id));
    unit.requests().put(row.refused(code, sentence, unit.now()));
    if (known.isPresent()) {
      unit.fanOut(FanOutRow.Kind.DEPENDENTS, id);
    }
  }

  /** Whether no live or succeeded job answers it: it gets in line, at once or later. */
  private static boolean needsPlace(
      UnitOfWork unit, JobRequest request, Optional<Meaning> meaning) {
    return !request.dependsOn().isEmpty()
        || meaning.map(means -> means.inForce(unit)).flatMap(unit::holder).isEmpty();
  }

  private static void await(UnitOfWork unit, JobRequest request, CycleCheck edges) {
    boolean unknown = false;
    for (String dependency : request.dependsOn()) {
      Optional<RequestRow> row = unit.requests().find(dependency);
      if (row.isEmpty()) {
        unit.requests().put(RequestRow.placeholder(dependency));
      } else {
        unit.fanOut(FanOutRow.Kind.DEPENDENTS, dependency);
      }
      unknown |= row.isEmpty() || row.get().isPlaceholder();
      unit.dependencies().put(new DependencyRow(request.id(), dependency));
    }
    edges.add(request.id(), request.dependsOn());
    if (unknown) {
      long dueAt = unit.now() + request.dependencyTimeout().toMillis();
      unit.startTimer(new TimerRow(TimerRow.Kind.DEPENDENCY_TIMEOUT, request.id(), dueAt));
    }
  }
}
