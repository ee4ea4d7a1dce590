package io.stoker.agent.attempt;

import io.stoker.agent.gate.GateRules;
import io.stoker.agent.staged.GpuPriority;
import io.stoker.agent.staged.StageLimits;

/**
 * The settings of a decider, beside what the dispatcher tells it.
 *
 * @param staging for staged jobs
 * @param outgrow what becomes of those that take more than they were promised
 * @param idle what becomes of those whose GPUs do next to nothing
 * @param disk how much they may write
 * @param secrets which queues may use each that the host has
 */
public record AgentRules(
    Times times,
    Staging staging,
    Outgrow outgrow,
    Idle idle,
    DiskQuota disk,
    SecretQueues secrets) {
  /**
   * Times in ms.
   *
   * @param helloEvery longest between hellos that are not answered
   * @param grace between SIGTERM and SIGKILL
   * @param progressEvery shortest time between two progress events of an attempt
   * @param keepReports how long a terminal report is kept that the dispatcher never closes
   * @param floorMargin how long after its {@code notAfter} a forgotten attempt is still refused,
   *     for clocks of dispatchers that differ
   */
  public record Times(
      long helloEvery, long grace, long progressEvery, long keepReports, long floorMargin) {
    static final Times STANDARD = new Times(2_000, 10_000, 1_000, 3 * 86_400_000L, 10_000);
  }

  /**
   * What staged jobs are given, and when.
   *
   * @param stages how often their stages are tried
   * @param gpus in which order they are given GPUs
   */
  public record Staging(GateRules gates, StageLimits stages, GpuPriority gpus) {
    static final Staging STANDARD =
        new Staging(GateRules.DEFAULT, StageLimits.DEFAULT, GpuPriority.DEFAULT);
  }

  /** All else as is standard. */
  public AgentRules(Times times) {
    this(times, Staging.STANDARD, Outgrow.DEFAULT, Idle.DEFAULT, DiskQuota.NONE, SecretQueues.NONE);
  }

  public static AgentRules standard() {
    return new AgentRules(Times.STANDARD);
  }

  public AgentRules withGrace(long ms) {
    Times other =
        new Times(times.helloEvery, ms, times.progressEvery, times.keepReports, times.floorMargin);
    return new AgentRules(other, staging, outgrow, idle, disk, secrets);
  }

  public AgentRules withStaging(Staging other) {
    return new AgentRules(times, other, outgrow, idle, disk, secrets);
  }

  public AgentRules withOutgrow(Outgrow other) {
    return new AgentRules(times, staging, other, idle, disk, secrets);
  }

  public AgentRules withIdle(Idle other) {
    return new AgentRules(times, staging, outgrow, other, disk, secrets);
  }

  public AgentRules withDisk(DiskQuota other) {
    return new AgentRules(times, staging, outgrow, idle, other, secrets);
  }

  public AgentRules withSecrets(SecretQueues other) {
    return new AgentRules(times, staging, outgrow, idle, disk, other);
  }
}
