package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.RequestStatus;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.PastAttempt;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.status.StatusView;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/**
 * All that is stored of a request and its job.
 *
 * @param job that it is bound to
 * @param past attempts of the job that are over and kept, in order
 * @param open what is open of its newest attempt, by rank
 */
public record RequestDetails(
    RequestStatus status,
    RequestRow row,
    Optional<JobRow> job,
    List<PastAttempt> past,
    List<AttemptRow> open) {
  /** Nothing for an id that nobody has posted. */
  public static Uni<Optional<RequestDetails>> of(StatelessSession session, String id) {
    return new RequestTable(session)
        .read(List.of(id))
        .map(rows -> rows.stream().filter(row -> !row.isPlaceholder()).findFirst())
        .chain(
            row ->
                row.isEmpty()
                    ? Uni.createFrom().item(Optional.empty())
                    : of(session, row.get()).map(Optional::of));
  }

  private static Uni<RequestDetails> of(StatelessSession session, RequestRow row) {
    if (row.job() == null) {
      return Database.now(session)
          .map(now -> details(row, Optional.empty(), List.of(), List.of(), now));
    }
    // Attempts before the job: one that ends meanwhile is then told of by the job.
    return AttemptTable.ofJobs(session, List.of(row.job()))
        .chain(
            open ->
                new JobTable(session)
                    .read(List.of(row.job()))
                    .map(jobs -> jobs.stream().findFirst())
                    .chain(
                        job ->
                            PastAttemptTable.of(session, row.job())
                                .chain(
                                    past ->
                                        Database.now(session)
                                            .map(now -> details(row, job, past, open, now)))));
  }

  private static RequestDetails details(
      RequestRow row,
      Optional<JobRow> job,
      List<PastAttempt> past,
      List<AttemptRow> open,
      long now) {
    boolean live = job.filter(JobRow::live).isPresent();
    return new RequestDetails(
        StatusView.of(row, job, now).orElseThrow(),
        row,
        job,
        past,
        live ? stillOpen(past, open) : List.of());
  }

  /** What was open when it was read, and is not told of as over since. */
  private static List<AttemptRow> stillOpen(List<PastAttempt> past, List<AttemptRow> open) {
    return open.stream()
        .filter(
            one ->
                past.stream()
                    .noneMatch(over -> over.number() == one.number() && over.rank() == one.rank()))
        .sorted(Comparator.comparingInt(AttemptRow::rank))
        .toList();
  }

  /** The attempts that are over, in order: of a plain job its own row tells. */
  public List<PastAttempt> over() {
    Stream<PastAttempt> only =
        job.stream()
            .filter(of -> !of.live() && of.latest().number() > 0)
            .filter(of -> past.stream().noneMatch(one -> one.number() == of.latest().number()))
            .map(PastAttempt::of);
    return Stream.concat(past.stream(), only).toList();
  }
}
