package io.stoker.dispatcher.service.postgres;

import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.JobRow.Role;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.model.UnitOfWork;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Rows of jobs that have an open attempt, as this replica's own transactions wrote them, so that
 * what is reported of the attempt need not read them again. A cache: each row is kept with the
 * transaction that wrote it, and whoever goes by it makes sure that nobody has written it since.
 * See ADR 0052.
 */
final class WrittenRows {
  /** What hosts run at once, with what they hold ahead. A job takes 1 to 2 KiB. */
  private static final int MOST = 2_048;

  /** Of what is larger there would be too much to keep, in characters. */
  private static final int LONGEST_REQUEST = 4_096;

  private final Map<String, Open> open = new LinkedHashMap<>();

  /** The one that has all of these rows. */
  private long server;

  /**
   * A row, and who wrote it.
   *
   * @param by the number of the transaction, which the row has as its {@code xmin}
   */
  record Written<R>(R row, String by) {}

  /** A job with the only row of its open attempt, and the request that started it. */
  record Open(Written<JobRow> job, Written<AttemptRow> attempt, Written<RequestRow> first) {}

  /**
   * What is known of some jobs.
   *
   * @param server that has the rows; see {@link Writer}
   */
  record Known(long server, List<Open> rows) {}

  /** These jobs; nothing unless all of them are known. */
  synchronized Optional<Known> find(Collection<String> jobs) {
    List<Open> found = new ArrayList<>(jobs.size());
    for (String job : jobs) {
      Open known = open.get(job);
      if (known == null) {
        return Optional.empty();
      }
      found.add(known);
    }
    return Optional.of(new Known(server, found));
  }

  synchronized void forget(Collection<String> jobs) {
    jobs.forEach(open::remove);
  }

  /**
   * A transaction has committed.
   *
   * @param unit that it wrote
   * @param by the transaction
   * @param read the numbers of those that wrote the requests that it read, by id
   */
  synchronized void remember(UnitOfWork unit, Writer by, Map<String, String> read) {
    if (by.server() != server) {
      open.clear();
      server = by.server();
    }
    for (JobRow job : unit.jobs().all()) {
      Open before = open.remove(job.id());
      Optional<Open> now =
          isPlain(unit, job) ? of(unit, job, by.number(), read, before) : Optional.empty();
      now.ifPresent(known -> open.put(job.id(), known));
    }
    while (open.size() > MOST) {
      open.remove(open.keySet().iterator().next());
    }
  }

  /** Whether nothing but its own rows says what its end brings. */
  private static boolean isPlain(UnitOfWork unit, JobRow job) {
    return job.latest().gang() == null
        && job.role() != Role.SUCCESSOR
        && job.asked().policy().givenMs() == null
        && !job.result().leftOut()
        && !unit.holdsWithOthers(job.id())
        && !unit.isShared(job.id())
        && !unit.hasDependents(job.asked().firstRequest());
  }

  private static Optional<Open> of(
      UnitOfWork unit, JobRow job, String by, Map<String, String> read, Open before) {
    Optional<AttemptRow> attempt = unit.openAttempt(job);
    Optional<RequestRow> first =
        unit.requests().find(job.asked().firstRequest()).filter(WrittenRows::isSmall);
    if (attempt.isEmpty() || first.isEmpty()) {
      return Optional.empty();
    }
    Optional<Open> known = Optional.ofNullable(before);
    String jobBy = writer(unit.jobs().before(job.id()), job, by, known.map(Open::job));
    String attemptBy =
        writer(
            unit.attempts().before(attempt.get().key()),
            attempt.get(),
            by,
            known.map(Open::attempt));
    RequestRow row = first.get();
    String id = row.id();
    String firstBy =
        writer(
            unit.requests().before(id),
            row,
            by,
            known
                .map(Open::first)
                .or(() -> Optional.ofNullable(read.get(id)).map(who -> new Written<>(row, who))));
    return jobBy == null || attemptBy == null || firstBy == null
        ? Optional.empty()
        : Optional.of(
            new Open(
                new Written<>(job, jobBy),
                new Written<>(attempt.get(), attemptBy),
                new Written<>(row, firstBy)));
  }

  private static boolean isSmall(RequestRow request) {
    return !request.specLeftOut()
        && length(request.spec()) + length(request.resolved()) <= LONGEST_REQUEST;
  }

  private static int length(String text) {
    return text == null ? 0 : text.length();
  }

  /**
   * This transaction where it has written the row, else who did before, as far as is known: of two
   * transactions the second may have been remembered first, with another row.
   */
  private static <R> String writer(
      Optional<R> before, R after, String by, Optional<Written<R>> known) {
    return before.isPresent() && before.get().equals(after)
        ? known.filter(written -> written.row().equals(after)).map(Written::by).orElse(null)
        : by;
  }
}
