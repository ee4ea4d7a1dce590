package io.stoker.dispatcher.placement;

import io.stoker.common.message.ToAgent;
import io.stoker.common.request.JobRequest;
import io.stoker.common.state.JobState;
import io.stoker.dispatcher.attempt.JobEnd;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.AttemptRow.Heard;
import io.stoker.dispatcher.model.AttemptRow.Offer;
import io.stoker.dispatcher.model.AttemptRow.Told;
import io.stoker.dispatcher.model.Ids;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.model.Shape;
import io.stoker.dispatcher.model.StoredRequest;
import io.stoker.dispatcher.model.UnitOfWork;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Turns assignments into attempts: out of the line, attempt + 1, an attempt row with token and
 * {@code notAfter}. The row is the outbox: it is published until it is accepted. So none is written
 * for a job of which its agent could not be told anything: it would hold the room in vain until
 * {@code notAfter}, and get it again.
 *
 * <p>The unit of work must hold the assigned jobs and their first requests.
 *
 * @param acceptWithinMs how long an agent may take to accept
 */
public record Placing(Ids ids, long acceptWithinMs) {
  /**
   * What became of assignments.
   *
   * @param opened attempts, those of a gang by rank
   * @param messages that give attempts to their hosts, of those for which nothing more is to be
   *     read: no large request, no results of dependencies, nothing that was measured
   * @param unreadable jobs of which no message can be made, and why: they stay in line
   * @param gated jobs that are not held behind CPU slots, since they wait at gates, or may: they
   *     stay in line
   */
  public record Placed(
      List<AttemptRow> opened,
      Map<AttemptRow.Key, ToAgent.Place> messages,
      Map<String, RuntimeException> unreadable,
      Set<String> gated) {
    public static final Placed NOTHING = new Placed(List.of(), Map.of(), Map.of(), Set.of());
  }

  /** As {@link #place(UnitOfWork, List, Function)}, of jobs that ask what they asked. */
  public Placed place(UnitOfWork unit, List<Assignment> assignments) {
    return place(unit, assignments, job -> Optional.empty());
  }

  /**
   * Opens an attempt for each job that is still in line; all that it was assigned. One that got
   * other {@link io.stoker.dispatcher.dedup.Needs} since stays in line: what it was assigned is not
   * what it asks for.
   *
   * @param asked by job, what it asked when it was assigned something; nothing if that is as it was
   */
  public Placed place(
      UnitOfWork unit, List<Assignment> assignments, Function<String, Optional<Shape>> asked) {
    Placed done =
        new Placed(
            new ArrayList<>(), new HashMap<>(), new LinkedHashMap<>(), new LinkedHashSet<>());
    Map<String, List<Assignment>> byJob =
        assignments.stream()
            .collect(
                Collectors.groupingBy(Assignment::job, LinkedHashMap::new, Collectors.toList()));
    for (List<Assignment> members : byJob.values()) {
      JobRow job = unit.jobs().get(members.getFirst().job());
      if (job.state() != JobState.QUEUED || job.role() == JobRow.Role.SUCCESSOR) {
        continue;
      }
      if (unit.isShared(job.id())
          && asked
              .apply(job.id())
              .filter(had -> !had.text().equals(job.asked().shape()))
              .isPresent()) {
        continue;
      }
      JobRow placed = placed(job, members);
      List<AttemptRow> attempts = new ArrayList<>();
      for (int rank = 0; rank < members.size(); rank++) {
        attempts.add(open(unit, placed, members.get(rank), rank));
      }
      try {
        Optional<JobRequest> request = request(unit, placed);
        if (placed.ahead() && request.map(one -> one.resources().gates()).orElse(true)) {
          done.gated().add(job.id());
          continue;
        }
        Optional<String> sentBy =
            Optional.ofNullable(unit.requests().get(job.asked().firstRequest()).sentBy());
        request.ifPresent(one -> done.messages().putAll(messages(placed, attempts, one, sentBy)));
      } catch (RuntimeException unreadable) {
        done.unreadable().put(job.id(), unreadable);
        continue;
      }
      unit.takeFromReady(job.id());
      unit.putJob(placed);
      attempts.forEach(unit.attempts()::put);
      done.opened().addAll(attempts);
      if (placed.changes() != job.changes()) {
        // The attempt's row owes this status: whoever publishes the placement again does both.
        unit.publishNamed(placed.asked().firstRequest());
        JobEnd.tellSharers(unit, placed);
      }
    }
    return done;
  }

  /** A large request is read when it is sent. */
  private static Optional<JobRequest> request(UnitOfWork unit, JobRow job) {
    RequestRow row = unit.requests().get(job.asked().firstRequest());
    return row.specLeftOut() ? Optional.empty() : Optional.of(StoredRequest.parse(row));
  }

  private static Map<AttemptRow.Key, ToAgent.Place> messages(
      JobRow job, List<AttemptRow> attempts, JobRequest request, Optional<String> sentBy) {
    Map<AttemptRow.Key, ToAgent.Place> messages = new HashMap<>();
    for (AttemptRow attempt : attempts) {
      messages.put(
          attempt.key(),
          PlacementMessage.of(attempt, job, request, sentBy, Map.of(), Map.of(), null));
    }
    boolean whole =
        request.dependsOn().isEmpty() && PlacementMessage.hostKeys(job, request).isEmpty();
    return whole ? messages : Map.of();
  }

  private static JobRow placed(JobRow job, List<Assignment> members) {
    if (members.getFirst().ahead()) {
      return job.change().placedAhead().build();
    }
    return members.size() == 1
        ? job.change().placed(members.getFirst().host()).build()
        : job.change().placed(members.stream().map(Assignment::host).toList()).build();
  }

  private AttemptRow open(UnitOfWork unit, JobRow job, Assignment assignment, int rank) {
    long now = unit.now();
    return new AttemptRow(
        job.id(),
        job.latest().number(),
        rank,
        job.asked().queue(),
        assignment.host(),
        new Offer(ids.token(), now, now + acceptWithinMs),
        assignment.takes(),
        Heard.NOTHING,
        Told.NOTHING);
  }
}
