package io.stoker.dispatcher.status;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.json.Json;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.message.RequestStatus.AnsweredBy;
import io.stoker.common.message.RequestStatus.Draft;
import io.stoker.common.message.RequestStatus.Member;
import io.stoker.common.state.Code;
import io.stoker.common.state.JobState;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.model.Gang;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.model.UnitOfWork;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** A request's whole current view, of its row and its job's. */
public final class StatusView {
  private StatusView() {}

  /** The view of an accepted request; nothing for a placeholder, which nobody posted. */
  public static Optional<RequestStatus> of(RequestRow request, Optional<JobRow> job, long now) {
    if (request.isPlaceholder()) {
      return Optional.empty();
    }
    return Optional.of(
        request.ended() != null || job.isEmpty()
            ? alone(request, job, now)
            : bound(request, job.get(), now));
  }

  /**
   * The views of the requests that the unit of work's record names, as far as it holds their jobs.
   */
  public static List<RequestStatus> named(UnitOfWork unit) {
    return unit.named().stream()
        .filter(id -> held(unit, id))
        .map(unit.requests()::get)
        .map(row -> of(row, job(unit, row), unit.now()))
        .flatMap(Optional::stream)
        .toList();
  }

  /**
   * Requests that the unit of work's record names and of which it does not hold enough for a view.
   */
  public static List<String> namedElsewhere(UnitOfWork unit) {
    return unit.named().stream().filter(id -> !held(unit, id)).toList();
  }

  private static boolean held(UnitOfWork unit, String id) {
    return unit.requests()
        .find(id)
        .filter(row -> !row.specLeftOut())
        .filter(
            row ->
                row.job() == null
                    || job(unit, row).filter(job -> !job.result().leftOut()).isPresent())
        .isPresent();
  }

  private static Optional<JobRow> job(UnitOfWork unit, RequestRow row) {
    return Optional.ofNullable(row.job()).flatMap(unit.jobs()::find);
  }

  /**
   * The version under which a view is published: nothing adds to it once it has ended by itself.
   */
  public static long version(RequestRow request, Optional<JobRow> job) {
    return request.ended() != null
        ? request.version()
        : request.version() + job.map(JobRow::changes).orElse(0L);
  }

  /**
   * A refused request: version 0, under no accepted id.
   *
   * @param queue that it was posted to; null if it did not get as far
   */
  public static RequestStatus rejected(
      String id, String queue, Code code, String reason, long now) {
    return RequestStatus.rejected(id, queue, code, reason, Moments.text(now));
  }

  private static RequestStatus alone(RequestRow request, Optional<JobRow> job, long now) {
    Draft status = draft(request, job, now);
    status.state = request.ended() == null ? RequestState.WAITING : request.ended();
    status.job = request.job();
    status.code = request.code();
    status.reason = request.reason();
    status.shared = request.attached();
    status.cached = request.cached();
    return status.status();
  }

  /** What is shown of a request whether its state is its job's or its own. */
  private static Draft draft(RequestRow request, Optional<JobRow> job, long now) {
    Moments moments = Moments.of(request, job, now);
    Draft status = new Draft();
    status.id = request.id();
    status.version = version(request, job);
    status.fingerprint = request.fingerprint();
    status.answeredBy = job.map(bound -> answeredBy(request, bound)).orElse(null);
    status.stopRequested = request.stopRequested();
    status.queue = request.queue();
    status.group = request.group();
    status.sentBy = request.sentBy();
    status.postedAt = moments.postedAt();
    status.queuedAt = moments.queuedAt();
    status.startedAt = moments.startedAt();
    status.endedAt = moments.endedAt();
    status.runtime = moments.runtime();
    status.at = moments.at();
    return status;
  }

  private static RequestStatus bound(RequestRow request, JobRow job, long now) {
    // What is told to end knows its code before it is over.
    boolean ended = job.state().terminal();
    boolean warned = job.code() != null && job.code().warns();
    Code code = ended || warned || job.state() == JobState.QUEUED ? job.code() : null;
    // Who asked for the end himself is told his own reason.
    boolean failedByOther =
        ended
            && request.attached()
            && !request.cached()
            && code != null
            && !request.stopRequested();
    Scores scores = Scores.of(job.result().text(), request);
    Draft status = draft(request, Optional.of(job), now);
    status.state = job.shown();
    status.job = job.id();
    status.attempt = attempt(job);
    status.host = job.latest().host();
    status.devices = job.latest().devices().isEmpty() ? null : List.copyOf(job.latest().devices());
    status.members = members(job.latest().gang());
    status.code = failedByOther ? Code.SHARED_FAILURE : code;
    status.reason =
        failedByOther
            ? "the job shared with " + job.asked().firstRequest() + " ended: " + job.reason()
            : job.reason();
    status.progress = job.state().terminal() ? null : raw(job.latest().progress());
    status.result = raw(job.result().text());
    status.score = scores.score();
    status.scores = scores.byLabel();
    status.exitCode = job.latest().exitCode();
    status.usage = job.latest().usage();
    status.shared = request.attached() || job.result().answeredBy() != null;
    status.cached = request.cached() || job.result().answeredBy() != null;
    return status.status();
  }

  /** One that its host holds behind others has not begun: what is told is the one before. */
  private static Integer attempt(JobRow job) {
    int last = job.ahead() ? job.latest().number() - 1 : job.latest().number();
    return last == 0 ? null : last;
  }

  private static AnsweredBy answeredBy(RequestRow request, JobRow job) {
    if (job.result().answeredBy() != null) {
      return job.result().answeredBy();
    }
    return request.attached() ? new AnsweredBy(job.asked().firstRequest(), job.id()) : null;
  }

  private static List<Member> members(Gang gang) {
    return gang == null
        ? null
        : IntStream.range(0, gang.size())
            .mapToObj(
                rank -> new Member(rank, gang.member(rank).host(), gang.member(rank).devices()))
            .toList();
  }

  /**
   * What is stored is passed on as it is: as a tree it would take many times as much memory. That
   * it is JSON was seen when its row was read.
   */
  private static JsonNode raw(String json) {
    return json == null ? null : Json.raw(json);
  }
}
