package io.stoker.agent.attempt;

import io.stoker.agent.gate.GateRules;
import io.stoker.agent.staged.GpuPriority;
import io.stoker.agent.staged.StageLimits;

/**
 * What a decider goes by, beside what the dispatcher tells it. All times in ms.
 *
 * @param helloEvery longest between hellos that are not answered
 * @param grace between SIGTERM and SIGKILL
 * @param progressEvery shortest time between two progress events of an attempt
 * @param keepReports how long a terminal report is kept that the dispatcher never closes
 * @param gates for staged jobs
 * @param stages how often their stages are tried
 * @param gpus in which order they are given GPUs
 * @param outgrow what becomes of those that take more than they were promised
 * @param idle what becomes of those whose GPUs do next to nothing
 * @param disk how much they may write
 * @param secrets which queues may use each that the host has
 * @param floorMargin how long after its {@code notAfter} a forgotten attempt is still refused, for
 *     clocks of dispatchers that differ
 */
public record AgentRules(
    long helloEvery,
    long grace,
    long progressEvery,
    long keepReports,
    long floorMargin,
    GateRules gates,
    StageLimits stages,
    GpuPriority gpus,
    Outgrow outgrow,
    Idle idle,
    DiskQuota disk,
    SecretQueues secrets) {

  /** With the standard ones for staged jobs. */
  public AgentRules(
      long helloEvery, long grace, long progressEvery, long keepReports, long floorMargin) {
    this(
        helloEvery,
        grace,
        progressEvery,
        keepReports,
        floorMargin,
        GateRules.DEFAULT,
        StageLimits.DEFAULT,
        GpuPriority.DEFAULT,
        Outgrow.DEFAULT,
        Idle.DEFAULT,
        DiskQuota.NONE,
        SecretQueues.NONE);
  }

  public static AgentRules standard() {
    return new AgentRules(2_000, 10_000, 1_000, 3 * 86_400_000L, 10_000);
  }

  public AgentRules withGrace(long ms) {
    return with(ms, gates, stages, gpus, outgrow, idle, disk, secrets);
  }

  public AgentRules withStages(GateRules at, StageLimits limits, GpuPriority order) {
    return with(grace, at, limits, order, outgrow, idle, disk, secrets);
  }

  public AgentRules withOutgrow(Outgrow other) {
    return with(grace, gates, stages, gpus, other, idle, disk, secrets);
  }

  public AgentRules withIdle(Idle other) {
    return with(grace, gates, stages, gpus, outgrow, other, disk, secrets);
  }

  public AgentRules withDisk(DiskQuota other) {
    return with(grace, gates, stages, gpus, outgrow, idle, other, secrets);
  }

  public AgentRules withSecrets(SecretQueues other) {
    return with(grace, gates, stages, gpus, outgrow, idle, disk, other);
  }

  private AgentRules with(
      long ms,
      GateRules at,
      StageLimits limits,
      GpuPriority order,
      Outgrow grown,
      Idle unused,
      DiskQuota written,
      SecretQueues given) {
    return new AgentRules(
        helloEvery,
        ms,
        progressEvery,
        keepReports,
        floorMargin,
        at,
        limits,
        order,
        grown,
        unused,
        written,
        given);
  }
}
