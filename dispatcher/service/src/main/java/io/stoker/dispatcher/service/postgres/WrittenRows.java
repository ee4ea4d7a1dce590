package io.stoker.dispatcher.service.postgres;

import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.ledger.JobRow;
import io.stoker.dispatcher.ledger.JobRow.Role;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.ledger.RequestRow;
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
   * @param ledger that it wrote
   * @param by the transaction
   * @param read the numbers of those that wrote the requests that it read, by id
   */
  synchronized void remember(Ledger ledger, Writer by, Map<String, String> read) {
    if (by.server() != server) {
      open.clear();
      server = by.server();
    }
    for (JobRow job : ledger.jobs().all()) {
      Open before = open.remove(job.id());
      Optional<Open> now =
          isPlain(ledger, job) ? of(ledger, job, by.number(), read, before) : Optional.empty();
      now.ifPresent(known -> open.put(job.id(), known));
    }
    while (open.size() > MOST) {
      open.remove(open.keySet().iterator().next());
    }
  }

  /** Whether nothing but its own rows says what its end brings. */
  private static boolean isPlain(Ledger ledger, JobRow job) {
    return job.gang() == null
        && job.role() != Role.SUCCESSOR
        && job.policy().givenMs() == null
        && !job.resultLeftOut()
        && !ledger.holdsWithOthers(job.id())
        && !ledger.isShared(job.id())
        && !ledger.hasDependents(job.firstRequest());
  }

  private static Optional<Open> of(
      Ledger ledger, JobRow job, String by, Map<String, String> read, Open before) {
    Optional<AttemptRow> attempt = ledger.openAttempt(job);
    Optional<RequestRow> first =
        ledger.requests().find(job.firstRequest()).filter(WrittenRows::isSmall);
    if (attempt.isEmpty() || first.isEmpty()) {
      return Optional.empty();
    }
    String jobBy =
        writer(ledger.jobs().before(job.id()), job, by, before == null ? null : before.job().by());
    String attemptBy =
        writer(
            ledger.attempts().before(attempt.get().key()),
            attempt.get(),
            by,
            before == null ? null : before.attempt().by());
    String id = first.get().id();
    String firstBy =
        writer(
            ledger.requests().before(id),
            first.get(),
            by,
            before == null ? read.get(id) : before.first().by());
    return jobBy == null || attemptBy == null || firstBy == null
        ? Optional.empty()
        : Optional.of(
            new Open(
                new Written<>(job, jobBy),
                new Written<>(attempt.get(), attemptBy),
                new Written<>(first.get(), firstBy)));
  }

  private static boolean isSmall(RequestRow request) {
    return !request.specLeftOut()
        && length(request.spec()) + length(request.resolved()) <= LONGEST_REQUEST;
  }

  private static int length(String text) {
    return text == null ? 0 : text.length();
  }

  /** This transaction where it has written the row, else who did before, as far as is known. */
  private static <R> String writer(Optional<R> before, R after, String by, String known) {
    return before.isPresent() && before.get().equals(after) ? known : by;
  }
}
