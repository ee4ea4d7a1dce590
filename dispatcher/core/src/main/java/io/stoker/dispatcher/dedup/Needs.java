package io.stoker.dispatcher.dedup;

import io.stoker.common.state.Code;
import io.stoker.common.state.JobState;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.JobRow.Role;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.model.Shape;
import io.stoker.dispatcher.model.StoredRequest;
import io.stoker.dispatcher.model.UnitOfWork;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The resources that a job of several equal requests asks for: all of what one of them asks, never
 * some of each. They differ only in what the job does not see, so whoever can serve one of them
 * serves all. It is worked out anew when one comes or goes while the job waits; an open attempt
 * keeps what it was given.
 */
public final class Needs {
  private Needs() {}

  /**
   * The job after somebody came to share it: it has his needs if they are less, or if no host can
   * ever serve those that it had.
   */
  static JobRow joined(JobRow job, Shape asked) {
    if (job.state() != JobState.QUEUED || job.asked().shape().equals(asked.text())) {
      return job;
    }
    boolean his =
        job.code() == Code.UNSATISFIABLE
            || readable(job.asked().shape()).filter(had -> !asked.asksLessThan(had)).isEmpty();
    return his ? job.change().shape(asked.text()).build() : job;
  }

  /**
   * Somebody has left a job, which has others: if it waits with his needs, it gets another one's.
   * The unit of work must hold all requests of the job that have not ended by themselves.
   */
  public static void left(UnitOfWork unit, String id) {
    JobRow job = unit.jobs().get(id);
    if (job.state() != JobState.QUEUED) {
      return;
    }
    List<RequestRow> sharers =
        unit.requests().all().stream().filter(row -> id.equals(row.job())).toList();
    List<Shape> asked = of(sharers);
    if (asked.stream().map(Shape::text).noneMatch(job.asked().shape()::equals)) {
      asked.stream()
          .reduce((one, next) -> next.asksLessThan(one) ? next : one)
          .ifPresent(needs -> change(unit, job, needs));
    } else if (job.role() == Role.HOLDER && hasLeft(unit, job.asked().firstRequest())) {
      // The group of who started it does not hold it back any more.
      unit.makeReady(job);
    }
  }

  private static boolean hasLeft(UnitOfWork unit, String request) {
    return unit.requests().find(request).filter(row -> row.ended() != null).isPresent();
  }

  /** Gives a job that waits these needs. */
  public static void change(UnitOfWork unit, JobRow job, Shape needs) {
    JobRow changed = job.change().shape(needs.text()).build();
    unit.putJob(changed);
    if (changed.role() == Role.HOLDER) {
      unit.makeReady(changed);
    }
  }

  /** What those of these requests ask that have not ended, each once, in order of arrival. */
  public static List<Shape> of(Collection<RequestRow> sharers) {
    Set<Shape> asked = new LinkedHashSet<>();
    sharers.stream()
        .filter(row -> row.ended() == null)
        .sorted(Comparator.comparingLong(RequestRow::seq))
        .map(StoredRequest::readable)
        .flatMap(Optional::stream)
        .map(Shape::of)
        .forEach(asked::add);
    return new ArrayList<>(asked);
  }

  private static Optional<Shape> readable(String shape) {
    try {
      return Optional.of(Shape.parse(shape));
    } catch (IllegalStateException unreadable) {
      return Optional.empty();
    }
  }
}
