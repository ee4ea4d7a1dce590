package io.stoker.dispatcher.service.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.stoker.common.message.AttemptEvent.Usage;
import io.stoker.common.message.AttemptEvent.Warning;
import io.stoker.common.state.JobState;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.service.commit.CdiCommitEvents.Committed;
import io.stoker.dispatcher.status.StatusListener;
import io.stoker.dispatcher.status.StatusRecord;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * Counts what transactions did and what was published. A commit whose reply was lost is not counted
 * by the run that finds it done.
 */
@ApplicationScoped
public class CommitMeters implements StatusListener {
  private static final double PER_THOUSAND = 1_000;

  private final MeterRegistry meters;
  private final JobTimes times;
  private final Counter accepted;
  private final Counter cached;
  private final Counter shared;
  private final Counter rejected;
  private final Counter published;
  private final Counter outgrown;
  private final Counter idle;
  private final Counter overQuota;
  private final Counter wall;
  private final Counter cpu;
  private final Counter gpu;
  private final Counter joules;
  private final DistributionSummary gpuMemory;
  private final DistributionSummary memory;

  CommitMeters(MeterRegistry meters) {
    this.meters = meters;
    times = new JobTimes(meters, new JobLabels());
    accepted = meters.counter("stoker.requests", "outcome", "accepted");
    cached = meters.counter("stoker.requests", "outcome", "cached");
    shared = meters.counter("stoker.requests", "outcome", "shared");
    rejected = meters.counter("stoker.requests", "outcome", "rejected");
    published = meters.counter("stoker.statuses.published");
    outgrown = meters.counter("stoker.memory.outgrown");
    idle = meters.counter("stoker.gpus.idle");
    overQuota = meters.counter("stoker.disk.exceeded");
    wall = meters.counter("stoker.usage.seconds", "of", "wall");
    cpu = meters.counter("stoker.usage.seconds", "of", "cpu");
    gpu = meters.counter("stoker.usage.seconds", "of", "gpu");
    joules = meters.counter("stoker.usage.joules");
    gpuMemory = meters.summary("stoker.usage.gpu.memory.bytes");
    memory = meters.summary("stoker.usage.memory.bytes");
  }

  void count(@Observes Committed committed) {
    UnitOfWork unit = committed.unit();
    unit.used().forEach(this::used);
    unit.warnings().forEach(this::warned);
    unit.requests().inserted().forEach(row -> arrived(null, row));
    unit.requests()
        .updated()
        .forEach(row -> arrived(unit.requests().before(row.id()).orElse(null), row));
    time(unit);
    unit.attempts().inserted().stream()
        .collect(Collectors.groupingBy(AttemptRow::host, Collectors.counting()))
        .forEach(
            (host, times) ->
                meters.counter("stoker.attempts.placed", "host", host).increment(times));
    unit.attempts().removed().stream()
        .flatMap(key -> unit.jobs().find(key.job()).stream())
        .collect(Collectors.groupingBy(JobRow::state, Collectors.counting()))
        .forEach(this::ended);
  }

  /** Of a gang its first member's times are the job's. */
  private void time(UnitOfWork unit) {
    unit.attempts().inserted().stream()
        .filter(attempt -> attempt.rank() == 0)
        .forEach(
            attempt ->
                unit.jobs().find(attempt.job()).ifPresent(job -> times.placed(job, attempt)));
    unit.attempts().changes().stream()
        .filter(change -> change.after().rank() == 0)
        .filter(change -> change.before().runningSince() == null)
        .filter(change -> change.after().runningSince() != null)
        .forEach(
            change ->
                unit.jobs()
                    .find(change.after().job())
                    .ifPresent(job -> times.started(job, change.after())));
    unit.attempts().removed().stream()
        .filter(key -> key.rank() == 0)
        .flatMap(key -> unit.attempts().before(key).stream())
        .forEach(
            attempt ->
                unit.jobs()
                    .find(attempt.job())
                    .ifPresent(job -> times.over(job, attempt, used(unit, job), unit.now())));
  }

  /** What an attempt took whose end this transaction heard of; null if that was not told. */
  private static Usage used(UnitOfWork unit, JobRow job) {
    Usage before = unit.jobs().before(job.id()).map(was -> was.latest().usage()).orElse(null);
    return Objects.equals(before, job.latest().usage()) ? null : job.latest().usage();
  }

  private void warned(Warning of) {
    switch (of) {
      case MEMORY -> outgrown.increment();
      case GPU_IDLE -> idle.increment();
      case DISK -> overQuota.increment();
      case OVER -> {}
    }
  }

  /** In seconds and joules, as is usual for metrics; what is not known is not counted. */
  private void used(Usage usage) {
    add(wall, usage.wallMs());
    add(cpu, usage.cpuMs());
    add(gpu, usage.gpuMs());
    add(joules, usage.energyMj());
    if (usage.peakGpuMemory() != null) {
      gpuMemory.record(usage.peakGpuMemory());
    }
    if (usage.peakMemory() != null) {
      memory.record(usage.peakMemory());
    }
  }

  private static void add(Counter counter, Long thousandths) {
    if (thousandths != null) {
      counter.increment(thousandths / PER_THOUSAND);
    }
  }

  @Override
  public void published(List<StatusRecord> statuses) {
    published.increment(statuses.size());
    statuses.stream()
        .filter(record -> record.status().state() == RequestState.REJECTED)
        .forEach(record -> rejected.increment());
  }

  /** A request counts when it comes in, and once more when it is found to equal another. */
  private void arrived(RequestRow before, RequestRow now) {
    if (!now.isPlaceholder() && (before == null || before.isPlaceholder())) {
      accepted.increment();
    }
    boolean boundNow = now.job() != null && (before == null || before.job() == null);
    if (boundNow && now.cached()) {
      cached.increment();
    } else if (boundNow && now.attached()) {
      shared.increment();
    }
  }

  /** An attempt whose job is in line again came to nothing, or failed with retries left. */
  private void ended(JobState job, long times) {
    String outcome = job == JobState.QUEUED ? "requeued" : job.name().toLowerCase(Locale.ROOT);
    meters.counter("stoker.attempts.ended", "outcome", outcome).increment(times);
  }
}
