package io.stoker.dispatcher.dedup;

import io.stoker.common.state.Code;
import io.stoker.common.state.JobState;
import io.stoker.dispatcher.ledger.JobRow;
import io.stoker.dispatcher.ledger.JobRow.Role;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.ledger.RequestRow;
import io.stoker.dispatcher.ledger.Shape;
import io.stoker.dispatcher.ledger.StoredRequest;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What a job asks of a host that several requests share: the whole of what one of them asks, and
 * never some of each. That what they ask differs in is nothing that the job sees, so whoever can
 * serve one of them serves all. It is worked out anew when one comes or goes while the job waits;
 * an open attempt keeps what it was given.
 */
public final class Needs {
  private Needs() {}

  /**
   * The job after somebody came to share it: it has his needs if they are less, or if no host can
   * ever serve those that it had.
   */
  static JobRow joined(JobRow job, Shape asked) {
    if (job.state() != JobState.QUEUED || job.shape().equals(asked.text())) {
      return job;
    }
    boolean his =
        job.code() == Code.UNSATISFIABLE
            || readable(job.shape()).filter(had -> !asked.asksLessThan(had)).isEmpty();
    return his ? job.change().shape(asked.text()).build() : job;
  }

  /**
   * Somebody has left a job, which has others: if it waits with his needs, it gets another one's.
   * The ledger must hold all requests of the job that have not ended by themselves.
   */
  public static void left(Ledger ledger, String id) {
    JobRow job = ledger.jobs().get(id);
    if (job.state() != JobState.QUEUED) {
      return;
    }
    List<RequestRow> sharers =
        ledger.requests().all().stream().filter(row -> id.equals(row.job())).toList();
    List<Shape> asked = of(sharers);
    if (asked.stream().map(Shape::text).noneMatch(job.shape()::equals)) {
      asked.stream()
          .reduce((one, next) -> next.asksLessThan(one) ? next : one)
          .ifPresent(needs -> change(ledger, job, needs));
    }
  }

  /** Gives a job that waits these needs. */
  public static void change(Ledger ledger, JobRow job, Shape needs) {
    JobRow changed = job.change().shape(needs.text()).build();
    ledger.putJob(changed);
    if (changed.role() == Role.HOLDER) {
      ledger.makeReady(changed);
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
