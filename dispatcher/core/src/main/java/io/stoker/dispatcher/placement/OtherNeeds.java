package io.stoker.dispatcher.placement;

import io.stoker.common.state.Code;
import io.stoker.common.state.JobState;
import io.stoker.dispatcher.attempt.JobEnd;
import io.stoker.dispatcher.dedup.Needs;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.JobRow.Role;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.model.Shape;
import io.stoker.dispatcher.model.UnitOfWork;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Shared jobs that wait with needs which no host can ever serve: each gets those of another one of
 * its requests, if some host can serve them. So nobody waits behind an equal that asks too much.
 */
public final class OtherNeeds {
  private final Snapshot snapshot;
  private final Map<String, Shape> asked = new HashMap<>();

  private OtherNeeds(Snapshot snapshot) {
    this.snapshot = snapshot;
  }

  /**
   * Gives them other needs.
   *
   * @param unit holds the jobs
   * @param snapshot what the pass looked at that found that nobody can serve them
   * @param sharers of the jobs
   * @return the jobs that have other needs now
   */
  public static Set<String> apply(
      UnitOfWork unit, Snapshot snapshot, Map<String, List<RequestRow>> sharers) {
    OtherNeeds others = new OtherNeeds(snapshot);
    Map<String, List<QueueHead>> heads = new LinkedHashMap<>();
    sharers.forEach(
        (id, requests) ->
            unit.jobs()
                .find(id)
                .filter(job -> job.state() == JobState.QUEUED && job.role() == Role.HOLDER)
                .ifPresent(job -> heads.put(id, others.heads(job, Needs.of(requests)))));
    Set<String> able = others.able(heads.values().stream().flatMap(List::stream).toList());
    Set<String> changed = new LinkedHashSet<>();
    heads.forEach(
        (id, ways) ->
            ways.stream()
                .map(QueueHead::job)
                .filter(able::contains)
                .findFirst()
                .map(others.asked::get)
                .ifPresent(
                    needs -> {
                      change(unit, unit.jobs().get(id), needs);
                      changed.add(id);
                    }));
    return changed;
  }

  /** The job as it would stand in line with the needs of each of the others. */
  private List<QueueHead> heads(JobRow job, List<Shape> needs) {
    // What was measured of it holds whatever it asks: so a pass finds the same as is found here.
    Optional<Memory> measured =
        snapshot.heads().stream()
            .filter(head -> head.job().equals(job.id()))
            .map(QueueHead::memory)
            .findFirst();
    List<QueueHead> heads = new ArrayList<>();
    for (Shape shape : needs) {
      if (!shape.text().equals(job.asked().shape())) {
        String name = job.id() + " " + heads.size();
        asked.put(name, shape);
        heads.add(
            new QueueHead(
                name,
                job.asked().queue(),
                shape,
                job.asked().priority(),
                job.asked().seq(),
                job.setbacks().avoid(),
                Set.of(),
                measured.orElseGet(
                    () ->
                        Memory.of(
                            shape,
                            job.fingerprint(),
                            job.asked().profile(),
                            job.setbacks().failures()))));
      }
    }
    return heads;
  }

  /** Those of these that a host can serve, now or ever. */
  private Set<String> able(List<QueueHead> heads) {
    if (heads.isEmpty()) {
      return Set.of();
    }
    PlacementPass.Decision decision = PlacementPass.decide(snapshot.with(heads), Long.MAX_VALUE);
    Set<String> able = new LinkedHashSet<>();
    for (QueueHead head : heads) {
      UnschedulableReason left = decision.unplaced().get(head.job());
      if (left == null || UnsatisfiableJobs.disproves(left)) {
        able.add(head.job());
      }
    }
    return able;
  }

  private static void change(UnitOfWork unit, JobRow job, Shape needs) {
    boolean told = job.code() == Code.UNSATISFIABLE;
    JobRow before = told ? job.change().waits(null, null).build() : job;
    Needs.change(unit, before, needs);
    if (told) {
      JobEnd.tellSharers(unit, before);
    }
  }
}
