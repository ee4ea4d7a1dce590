package io.stoker.dispatcher.attempt;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.json.JsonRules;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.AttemptEvent.Warning;
import io.stoker.common.message.ToAgent;
import io.stoker.common.state.Code;
import io.stoker.common.state.FailureCategory;
import io.stoker.common.state.JobState;
import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.ledger.Gang;
import io.stoker.dispatcher.ledger.IntermediateRow;
import io.stoker.dispatcher.ledger.JobBuilder;
import io.stoker.dispatcher.ledger.JobRow;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.ledger.MemoryKeys;
import io.stoker.dispatcher.ledger.MemoryRow;
import io.stoker.dispatcher.ledger.Numbers;
import io.stoker.dispatcher.ledger.StoredRequest;
import io.stoker.dispatcher.memory.ExpectedEnd;
import io.stoker.dispatcher.memory.MemoryRules;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/**
 * Applies what agents report of attempts. An event counts only for the open attempt of its number,
 * from its host, signed by who knows its token, and newer than what was applied; anything else
 * changes nothing and has the current state published again.
 *
 * <p>The ledger must hold the jobs that the events name, all their open attempts, and what {@link
 * JobEnd} needs.
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
  public static Outcome apply(Ledger ledger, List<AttemptReport> reports, Backoff backoff) {
    List<Distrusted> distrusted = new ArrayList<>();
    List<Refusal> refusals = new ArrayList<>();
    for (AttemptReport report : reports) {
      Optional<String> doubt = apply(ledger, report, refusals, backoff);
      doubt.ifPresent(reason -> distrusted.add(new Distrusted(report, reason)));
    }
    return new Outcome(distrusted, refusals);
  }

  private static Optional<String> apply(
      Ledger ledger, AttemptReport report, List<Refusal> refusals, Backoff backoff) {
    AttemptEvent event = report.event();
    Optional<JobRow> job = ledger.jobs().find(event.job());
    if (job.isEmpty()) {
      return Optional.of("no such job: " + event.job());
    }
    Optional<AttemptRow> open =
        ledger
            .attempts()
            .find(new AttemptRow.Key(event.job(), event.attempt(), rank(job.get(), report)));
    if (open.isEmpty()) {
      closedBefore(ledger, report, job.get());
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
        said(ledger, event); // overtaken, or told again; of what is there already nothing comes
      }
      ledger.publishNamed(job.get().firstRequest());
      return Optional.empty();
    }
    advance(ledger, attempt, job.get(), event, refusals, backoff);
    return Optional.empty();
  }

  /**
   * Which member of a gang its host has; a host that has none is taken for the first, and found
   * out.
   */
  private static int rank(JobRow job, AttemptReport report) {
    return job.gang() == null || job.attempt() != report.event().attempt()
        ? 0
        : job.gang().rankOn(report.host()).orElse(0);
  }

  /** A late or repeated report of a closed attempt: its agent need not keep it any longer. */
  private static void closedBefore(Ledger ledger, AttemptReport report, JobRow job) {
    ledger.publishNamed(job.firstRequest());
    AttemptEvent event = report.event();
    if (event.type() == AttemptEvent.Type.ENDED) {
      ledger.tell(report.host(), new ToAgent.Forget(event.job(), event.attempt()));
    } else if (event.attempt() <= job.attempt()) {
      String reason = "attempt " + event.attempt() + " was closed";
      ledger.tell(report.host(), new ToAgent.Cancel(event.job(), event.attempt(), reason));
    }
  }

  private static void advance(
      Ledger ledger,
      AttemptRow attempt,
      JobRow before,
      AttemptEvent event,
      List<Refusal> refusals,
      Backoff backoff) {
    List<String> devices = event.devices() == null ? attempt.devices() : event.devices();
    JobRow job = before.gang() == null ? before : in(ledger, before, attempt, event, devices);
    switch (event.type()) {
      case ACCEPTED -> {
        hear(ledger, attempt, event, AttemptRow.State.ACCEPTED, devices);
        held(ledger, attempt, job, event);
        GangStart.tell(ledger, job);
      }
      case RUNNING -> run(ledger, attempt, job, event, devices);
      case PROGRESS, RESULT -> {
        job = run(ledger, attempt, job, event, devices);
        if (attempt.rank() == 0 && event.type() == AttemptEvent.Type.RESULT) {
          said(ledger, event);
        }
        if (attempt.rank() == 0 && event.progress() != null && storable(event.progress())) {
          show(ledger, job.change().running(devices).progress(text(event.progress())).build());
        }
        if (event.type() == AttemptEvent.Type.PROGRESS && event.message() != null) {
          warn(ledger, ledger.jobs().get(job.id()), shown(job, devices), event);
        }
      }
      case ENDED -> {
        JobRow told = job.gang() == null ? ended(job, event, devices, ledger.now()) : job;
        ledger.putJob(told);
        if (event.outcome() == AttemptEvent.Outcome.RETURNED) {
          refusals.add(new Refusal(attempt.host(), job.shape(), event.againMs()));
        }
        AttemptRow begun = job.ahead() ? begun(attempt, event, ledger.now()) : attempt;
        AttemptEnd.over(ledger, begun, told, EventEnds.of(attempt, job, event), backoff);
        ledger.used(event.usage());
        ranAlone(ledger, attempt, told, event);
        learn(ledger, attempt, told, event);
        noteLaunch(ledger, attempt, event);
        ledger.tell(attempt.host(), new ToAgent.Forget(job.id(), attempt.number()));
      }
    }
    ledger.publishNamed(job.firstRequest());
  }

  /**
   * It has started. Whatever is said by what runs tells that, too: the event that says so may come
   * later, if it had to be sent again or an older agent put it in another partition, and is
   * overtaken then.
   */
  private static JobRow run(
      Ledger ledger, AttemptRow attempt, JobRow job, AttemptEvent event, List<String> devices) {
    if (attempt.state() != AttemptRow.State.RUNNING) {
      ledger.launched(attempt.host());
    }
    hear(ledger, attempt, event, AttemptRow.State.RUNNING, devices);
    if (job.state() != JobState.RUNNING) {
      // Why it was held is over.
      show(
          ledger,
          job.change()
              .progress(null)
              .on(attempt.host())
              .running(shown(job, devices))
              .startedAt(ledger.now())
              .build());
    }
    return ledger.jobs().get(job.id());
  }

  /** Its host has it and does not start it yet, and says why. */
  private static void held(Ledger ledger, AttemptRow attempt, JobRow job, AttemptEvent event) {
    boolean waits = attempt.rank() == 0 && job.state() == JobState.PLACED;
    if (waits && event.progress() != null && storable(event.progress())) {
      show(ledger, job.change().progress(text(event.progress())).build());
    }
  }

  private static void said(Ledger ledger, AttemptEvent event) {
    JsonNode result = event.result();
    if (result == null || event.seq() > IntermediateRow.LAST || !storable(result)) {
      return;
    }
    String text = text(result);
    ledger.said(
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
      Ledger ledger, JobRow job, AttemptRow attempt, AttemptEvent event, List<String> devices) {
    Gang gang = job.gang().with(attempt.rank(), devices, event.address());
    JobRow known = job.change().gang(gang).build();
    if (known.changes() == job.changes()) {
      ledger.putJob(known);
    } else {
      show(ledger, known);
    }
    return known;
  }

  private static JobRow ended(JobRow job, AttemptEvent event, List<String> devices, long now) {
    JobBuilder told = job.change().exitCode(event.exitCode()).devices(devices).usage(event.usage());
    Long wall = event.usage() == null ? null : event.usage().wallMs();
    return (wall == null ? told : told.startedAt(now - wall)).build();
  }

  /** The devices that a status shows: of a gang those of rank 0, beside all of its members. */
  private static List<String> shown(JobRow job, List<String> devices) {
    return job.gang() == null ? devices : job.gang().member(0).devices();
  }

  private static void noteLaunch(Ledger ledger, AttemptRow attempt, AttemptEvent event) {
    if (event.category() == FailureCategory.LAUNCH) {
      ledger.launchFailed(attempt.host(), attempt.job());
    } else if (event.outcome() == AttemptEvent.Outcome.SUCCEEDED || event.exitCode() != null) {
      ledger.launched(attempt.host());
    }
  }

  /** What was held behind CPU slots took none before it began. */
  private static AttemptRow begun(AttemptRow attempt, AttemptEvent event, long now) {
    Long wall = event.usage() == null ? null : event.usage().wallMs();
    return attempt.begunAt(wall == null ? now : now - wall);
  }

  /** How long plain processes run on CPU slots. */
  private static void ranAlone(Ledger ledger, AttemptRow attempt, JobRow job, AttemptEvent event) {
    boolean ran =
        event.outcome() == AttemptEvent.Outcome.SUCCEEDED
            || event.outcome() == AttemptEvent.Outcome.FAILED;
    if (ran
        && attempt.cpuSlots() > 0
        && attempt.runner() == null
        && job.profile() != null
        && event.usage() != null
        && event.usage().wallMs() != null) {
      ledger.ran(job.profile(), event.usage().wallMs());
    }
  }

  private static void learn(Ledger ledger, AttemptRow attempt, JobRow job, AttemptEvent event) {
    MemoryRules.learned(event, job.profile() == null ? 0 : attempt.hostGpus())
        .ifPresent(peak -> learn(ledger, job.memoryKeys().both(), peak));
    MemoryRules.learnedOfHost(event).ifPresent(peak -> learn(ledger, hostKeys(ledger, job), peak));
    if (job.profile() != null && attempt.rank() == 0) {
      ExpectedEnd.learned(event)
          .ifPresent(ms -> learn(ledger, List.of(ExpectedEnd.key(job.profile())), ms));
    }
  }

  private static void learn(Ledger ledger, List<String> keys, long measured) {
    keys.forEach(key -> ledger.learn(new MemoryRow(key, measured, ledger.now())));
  }

  private static List<String> hostKeys(Ledger ledger, JobRow job) {
    return job.hostMemoryKeys()
        .map(MemoryKeys::both)
        .orElseGet(() -> hostKeysOfRequest(ledger, job));
  }

  /** Of a job whose row says nothing: of a pool, or of an earlier version. */
  private static List<String> hostKeysOfRequest(Ledger ledger, JobRow job) {
    return ledger
        .requests()
        .find(job.firstRequest())
        .filter(row -> !row.isPlaceholder() && !row.specLeftOut())
        .flatMap(StoredRequest::readable)
        .map(request -> MemoryKeys.ofHost(job.fingerprint(), request).both())
        .orElse(List.of());
  }

  private static void hear(
      Ledger ledger,
      AttemptRow attempt,
      AttemptEvent event,
      AttemptRow.State state,
      List<String> devices) {
    boolean further = state.compareTo(attempt.state()) > 0;
    AttemptRow.State now = further ? state : attempt.state();
    ledger.attempts().put(attempt.heard(event.seq(), now, devices, ledger.now()));
  }

  private static void warn(Ledger ledger, JobRow job, List<String> devices, AttemptEvent event) {
    // An agent that does not say of what it warns knows of memory alone.
    Warning warning = event.warning() == null ? Warning.MEMORY : event.warning();
    ledger.warned(warning);
    JobBuilder change = job.change().running(devices);
    JobBuilder told =
        switch (warning) {
          case MEMORY -> change.warned(Code.MEMORY_OUTGROWN, event.message());
          case GPU_IDLE -> change.warned(Code.GPU_IDLE, event.message());
          case DISK -> change.warned(Code.DISK_EXCEEDED, event.message());
          case RESULT, OVER -> change.warned(null, null);
        };
    show(ledger, told.build());
  }

  private static void show(Ledger ledger, JobRow job) {
    ledger.putJob(job);
    JobEnd.tellSharers(ledger, job);
  }

  private static boolean storable(JsonNode node) {
    return JsonRules.storable(node);
  }

  private static String text(JsonNode node) {
    return node.toString();
  }
}
