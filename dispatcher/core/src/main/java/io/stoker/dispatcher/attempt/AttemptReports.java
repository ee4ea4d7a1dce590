package io.stoker.dispatcher.attempt;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.json.JsonRules;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.AttemptEvent.Warning;
import io.stoker.common.message.ToAgent;
import io.stoker.common.state.Code;
import io.stoker.common.state.FailureCategory;
import io.stoker.common.state.JobState;
import io.stoker.dispatcher.memory.ExpectedEnd;
import io.stoker.dispatcher.memory.MemoryRules;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.Gang;
import io.stoker.dispatcher.model.IntermediateRow;
import io.stoker.dispatcher.model.JobBuilder;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.MemoryKeys;
import io.stoker.dispatcher.model.MemoryRow;
import io.stoker.dispatcher.model.Numbers;
import io.stoker.dispatcher.model.StoredRequest;
import io.stoker.dispatcher.model.UnitOfWork;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/**
 * Applies what agents report of attempts. An event counts only for the open attempt of its number,
 * from its host, signed by who knows its token, and newer than what was applied; anything else
 * changes nothing and has the current state published again.
 *
 * <p>The unit of work must hold the jobs that the events name, all their open attempts, and what
 * {@link JobEnd} needs.
 */
public final class AttemptReports {
  private AttemptReports() {}

  /** A report that is not to be believed, and why. */
  public record Distrusted(AttemptReport report, String reason) {}

  /** What came of a batch. */
  public record Outcome(List<Distrusted> distrusted, List<Refusal> refusals) {}

  /**
   * A host that could not take a shape of job.
   *
   * @param againMs in how many ms it may be asked again; null if it did not say
   */
  public record Refusal(String host, String shape, Long againMs) {}

  /**
   * Applies a batch, in order.
   *
   * @param backoff how long what failed waits for its next attempt
   */
  public static Outcome apply(UnitOfWork unit, List<AttemptReport> reports, Backoff backoff) {
    List<Distrusted> distrusted = new ArrayList<>();
    List<Refusal> refusals = new ArrayList<>();
    for (AttemptReport report : reports) {
      Optional<String> doubt = apply(unit, report, refusals, backoff);
      doubt.ifPresent(reason -> distrusted.add(new Distrusted(report, reason)));
    }
    return new Outcome(distrusted, refusals);
  }

  private static Optional<String> apply(
      UnitOfWork unit, AttemptReport report, List<Refusal> refusals, Backoff backoff) {
    AttemptEvent event = report.event();
    Optional<JobRow> job = unit.jobs().find(event.job());
    if (job.isEmpty()) {
      return Optional.of("no such job: " + event.job());
    }
    Optional<AttemptRow> open =
        unit.attempts()
            .find(new AttemptRow.Key(event.job(), event.attempt(), rank(job.get(), report)));
    if (open.isEmpty()) {
      closedBefore(unit, report, job.get());
      return Optional.empty();
    }
    AttemptRow attempt = open.get();
    if (!attempt.host().equals(report.host())) {
      return Optional.of("the attempt belongs to host " + attempt.host());
    }
    if (!report.knows(Base64.getDecoder().decode(attempt.token()))) {
      return Optional.of("wrong lease token: the event's mac does not fit the attempt");
    }
    if (event.seq() <= attempt.seq()) {
      if (attempt.rank() == 0 && event.type() == AttemptEvent.Type.RESULT) {
        said(unit, event); // overtaken, or told again; of what is there already nothing comes
      }
      unit.publishNamed(job.get().asked().firstRequest());
      return Optional.empty();
    }
    advance(unit, attempt, job.get(), event, refusals, backoff);
    return Optional.empty();
  }

  /**
   * Which member of a gang its host has; a host that has none is taken for the first, and found
   * out.
   */
  private static int rank(JobRow job, AttemptReport report) {
    return job.latest().gang() == null || job.latest().number() != report.event().attempt()
        ? 0
        : job.latest().gang().rankOn(report.host()).orElse(0);
  }

  /** A late or repeated report of a closed attempt: its agent need not keep it any longer. */
  private static void closedBefore(UnitOfWork unit, AttemptReport report, JobRow job) {
    unit.publishNamed(job.asked().firstRequest());
    AttemptEvent event = report.event();
    if (event.type() == AttemptEvent.Type.ENDED) {
      unit.tell(report.host(), new ToAgent.Forget(event.job(), event.attempt()));
    } else if (event.attempt() <= job.latest().number()) {
      String reason = "attempt " + event.attempt() + " was closed";
      unit.tell(report.host(), new ToAgent.Cancel(event.job(), event.attempt(), reason));
    }
  }

  private static void advance(
      UnitOfWork unit,
      AttemptRow attempt,
      JobRow before,
      AttemptEvent event,
      List<Refusal> refusals,
      Backoff backoff) {
    List<String> devices = event.devices() == null ? attempt.devices() : event.devices();
    JobRow job =
        before.latest().gang() == null ? before : in(unit, before, attempt, event, devices);
    switch (event.type()) {
      case ACCEPTED -> {
        hear(unit, attempt, event, AttemptRow.State.ACCEPTED, devices);
        held(unit, attempt, job, event);
        GangStart.tell(unit, job);
      }
      case RUNNING -> run(unit, attempt, job, event, devices);
      case PROGRESS, RESULT -> {
        job = run(unit, attempt, job, event, devices);
        if (attempt.rank() == 0 && event.type() == AttemptEvent.Type.RESULT) {
          said(unit, event);
        }
        if (attempt.rank() == 0 && event.progress() != null && storable(event.progress())) {
          show(unit, job.change().running(devices).progress(text(event.progress())).build());
        }
        if (event.type() == AttemptEvent.Type.PROGRESS && event.message() != null) {
          warn(unit, unit.jobs().get(job.id()), shown(job, devices), event);
        }
      }
      case ENDED -> {
        JobRow told = job.latest().gang() == null ? ended(job, event, devices, unit.now()) : job;
        unit.putJob(told);
        if (event.outcome() == AttemptEvent.Outcome.RETURNED) {
          refusals.add(new Refusal(attempt.host(), job.asked().shape(), event.againMs()));
        }
        AttemptRow begun = job.ahead() ? begun(attempt, event, unit.now()) : attempt;
        AttemptEnd.over(unit, begun, told, EventEnds.of(attempt, job, event), backoff);
        unit.used(event.usage());
        ranAlone(unit, attempt, told, event);
        learn(unit, attempt, told, event);
        noteLaunch(unit, attempt, event);
        unit.tell(attempt.host(), new ToAgent.Forget(job.id(), attempt.number()));
      }
    }
    unit.publishNamed(job.asked().firstRequest());
  }

  /**
   * It has started. Whatever is said by what runs tells that, too: the event that says so may come
   * later, if it had to be sent again or an older agent put it in another partition, and is
   * overtaken then.
   */
  private static JobRow run(
      UnitOfWork unit, AttemptRow attempt, JobRow job, AttemptEvent event, List<String> devices) {
    if (attempt.state() != AttemptRow.State.RUNNING) {
      unit.launched(attempt.host());
    }
    hear(unit, attempt, event, AttemptRow.State.RUNNING, devices);
    if (job.state() != JobState.RUNNING) {
      // Why it was held is over.
      show(
          unit,
          job.change()
              .progress(null)
              .on(attempt.host())
              .running(shown(job, devices))
              .startedAt(unit.now())
              .build());
    }
    return unit.jobs().get(job.id());
  }

  /** Its host has it and does not start it yet, and says why. */
  private static void held(UnitOfWork unit, AttemptRow attempt, JobRow job, AttemptEvent event) {
    boolean waits = attempt.rank() == 0 && job.state() == JobState.PLACED;
    if (waits && event.progress() != null && storable(event.progress())) {
      show(unit, job.change().progress(text(event.progress())).build());
    }
  }

  private static void said(UnitOfWork unit, AttemptEvent event) {
    JsonNode result = event.result();
    if (result == null || event.seq() > IntermediateRow.LAST || !storable(result)) {
      return;
    }
    String text = text(result);
    unit.said(
        new IntermediateRow(
            event.job(),
            event.attempt(),
            event.seq(),
            event.at(),
            Numbers.score(result).orElse(null),
            text.length() > IntermediateRow.LARGEST ? null : text));
  }

  /** With what this member has told of itself. */
  private static JobRow in(
      UnitOfWork unit, JobRow job, AttemptRow attempt, AttemptEvent event, List<String> devices) {
    Gang gang = job.latest().gang().with(attempt.rank(), devices, event.address());
    JobRow known = job.change().gang(gang).build();
    if (known.changes() == job.changes()) {
      unit.putJob(known);
    } else {
      show(unit, known);
    }
    return known;
  }

  private static JobRow ended(JobRow job, AttemptEvent event, List<String> devices, long now) {
    JobBuilder told = job.change().exitCode(event.exitCode()).devices(devices).usage(event.usage());
    Long wall = event.usage() == null ? null : event.usage().wallMs();
    // That it runs may have been heard late, or with its end.
    return (wall == null ? told : told.startedAt(now - wall)).build();
  }

  /** The devices that a status shows: of a gang those of rank 0, beside all of its members. */
  private static List<String> shown(JobRow job, List<String> devices) {
    return job.latest().gang() == null ? devices : job.latest().gang().member(0).devices();
  }

  private static void noteLaunch(UnitOfWork unit, AttemptRow attempt, AttemptEvent event) {
    if (event.category() == FailureCategory.LAUNCH) {
      unit.launchFailed(attempt.host(), attempt.job());
    } else if (event.outcome() == AttemptEvent.Outcome.SUCCEEDED || event.exitCode() != null) {
      unit.launched(attempt.host());
    }
  }

  /** What was held behind CPU slots took none before it began. */
  private static AttemptRow begun(AttemptRow attempt, AttemptEvent event, long now) {
    Long wall = event.usage() == null ? null : event.usage().wallMs();
    return attempt.begunAt(wall == null ? now : now - wall);
  }

  /** How long plain processes run on CPU slots. */
  private static void ranAlone(
      UnitOfWork unit, AttemptRow attempt, JobRow job, AttemptEvent event) {
    boolean ran =
        event.outcome() == AttemptEvent.Outcome.SUCCEEDED
            || event.outcome() == AttemptEvent.Outcome.FAILED;
    if (ran
        && attempt.takes().plainSlots() > 0
        && job.asked().profile() != null
        && event.usage() != null
        && event.usage().wallMs() != null) {
      unit.ran(job.asked().profile(), event.usage().wallMs());
    }
  }

  private static void learn(UnitOfWork unit, AttemptRow attempt, JobRow job, AttemptEvent event) {
    MemoryRules.learned(event, job.asked().profile() == null ? 0 : attempt.takes().hostGpus())
        .ifPresent(peak -> learn(unit, job.memoryKeys().both(), peak));
    MemoryRules.learnedOfHost(event).ifPresent(peak -> learn(unit, hostKeys(unit, job), peak));
    if (job.asked().profile() != null && attempt.rank() == 0) {
      ExpectedEnd.learned(event)
          .ifPresent(ms -> learn(unit, List.of(ExpectedEnd.key(job.asked().profile())), ms));
    }
  }

  private static void learn(UnitOfWork unit, List<String> keys, long measured) {
    keys.forEach(key -> unit.learn(new MemoryRow(key, measured, unit.now())));
  }

  private static List<String> hostKeys(UnitOfWork unit, JobRow job) {
    return job.hostMemoryKeys().map(MemoryKeys::both).orElseGet(() -> hostKeysOfRequest(unit, job));
  }

  /** Of a job whose row says nothing: of a pool, or of an earlier version. */
  private static List<String> hostKeysOfRequest(UnitOfWork unit, JobRow job) {
    return unit.requests()
        .find(job.asked().firstRequest())
        .filter(row -> !row.isPlaceholder() && !row.specLeftOut())
        .flatMap(StoredRequest::readable)
        .map(request -> MemoryKeys.ofHost(job.fingerprint(), request).both())
        .orElse(List.of());
  }

  private static void hear(
      UnitOfWork unit,
      AttemptRow attempt,
      AttemptEvent event,
      AttemptRow.State state,
      List<String> devices) {
    boolean further = state.compareTo(attempt.state()) > 0;
    AttemptRow.State now = further ? state : attempt.state();
    unit.attempts().put(attempt.heard(event.seq(), now, devices, unit.now()));
  }

  private static void warn(UnitOfWork unit, JobRow job, List<String> devices, AttemptEvent event) {
    // An agent that does not say of what it warns knows of memory alone.
    Warning warning = event.warning() == null ? Warning.MEMORY : event.warning();
    unit.warned(warning);
    JobBuilder change = job.change().running(devices);
    JobBuilder told =
        switch (warning) {
          case MEMORY -> change.warned(Code.MEMORY_OUTGROWN, event.message());
          case GPU_IDLE -> change.warned(Code.GPU_IDLE, event.message());
          case DISK -> change.warned(Code.DISK_EXCEEDED, event.message());
          case RESULT, OVER -> change.warned(null, null);
        };
    show(unit, told.build());
  }

  private static void show(UnitOfWork unit, JobRow job) {
    unit.putJob(job);
    JobEnd.tellSharers(unit, job);
  }

  private static boolean storable(JsonNode node) {
    return JsonRules.storable(node);
  }

  private static String text(JsonNode node) {
    return node.toString();
  }
}
