package io.stoker.dispatcher.ledger;

import io.stoker.common.request.RunnerType;
import java.util.List;

/**
 * An open attempt on a host; its row goes when it is over there. While {@link State#PLACED} it is
 * the outbox of its placement, which is published again until {@code notAfter}.
 *
 * @param number the fencing token
 * @param queue whose share it uses
 * @param token base64 of the key that signs its events
 * @param seq of the newest event applied, 0 before the first
 * @param gpus that it has, of its host or of the machine that its runner runs it on: so many count
 *     as its queue's. See {@link #hostGpus}
 * @param placedAt ms since 1970
 * @param notAfter ms since 1970 after which the agent refuses it
 * @param cancelReason why it was told to end, null if it was not
 * @param gpuMemory bytes promised on each of its GPUs, which it shares; null if it has them alone
 * @param pool whose workers run it, null if it has a process of its own
 * @param runner of which it takes a slot, as {@code resources.type} names it; null if of none
 * @param answer what the person says who ran it, to be told to its agent; null if nothing yet
 * @param rank which member of its {@link Gang} this is; 0 if it has one host
 * @param runningSince when its agent's word came that it runs, ms since 1970; null before
 * @param preempted that it was told to end for another job's sake; null if that is not why
 * @param hostMemory bytes of its host's memory that it was promised; null if nothing is known of
 *     its job
 */
public record AttemptRow(
    String job,
    int number,
    String queue,
    String host,
    String token,
    State state,
    int seq,
    int gpus,
    int cpuSlots,
    long placedAt,
    long notAfter,
    List<String> devices,
    String cancelReason,
    Long gpuMemory,
    String pool,
    int rank,
    String runner,
    Long runningSince,
    Preempted preempted,
    Answer answer,
    Long hostMemory) {

  /**
   * Its room is another job's.
   *
   * @param forJob which gets it
   * @param behind where its job gets in line again: behind those that came until then, by {@link
   *     Arrival}; null if it keeps its place
   */
  public record Preempted(String forJob, Long behind) {}

  /** Of a job that has a process of its own, on one host. */
  public AttemptRow(
      String job,
      int number,
      String queue,
      String host,
      String token,
      State state,
      int seq,
      int gpus,
      int cpuSlots,
      long placedAt,
      long notAfter,
      List<String> devices,
      String cancelReason,
      Long gpuMemory) {
    this(
        job,
        number,
        queue,
        host,
        token,
        state,
        seq,
        gpus,
        cpuSlots,
        placedAt,
        notAfter,
        devices,
        cancelReason,
        gpuMemory,
        null,
        0,
        null);
  }

  /** That does not run yet. */
  public AttemptRow(
      String job,
      int number,
      String queue,
      String host,
      String token,
      State state,
      int seq,
      int gpus,
      int cpuSlots,
      long placedAt,
      long notAfter,
      List<String> devices,
      String cancelReason,
      Long gpuMemory,
      String pool,
      int rank,
      String runner) {
    this(
        job,
        number,
        queue,
        host,
        token,
        state,
        seq,
        gpus,
        cpuSlots,
        placedAt,
        notAfter,
        devices,
        cancelReason,
        gpuMemory,
        pool,
        rank,
        runner,
        null,
        null,
        null,
        null);
  }

  /** How far the agent has told that it is. */
  public enum State {
    PLACED,
    ACCEPTED,
    RUNNING
  }

  /** What identifies an attempt on a host. */
  public record Key(String job, int number, int rank) {
    /** Of a job that has one host. */
    public Key(String job, int number) {
      this(job, number, 0);
    }
  }

  public Key key() {
    return new Key(job, number, rank);
  }

  public boolean accepted() {
    return state != State.PLACED;
  }

  /**
   * Whether its agent has it and has given it no GPU: a staged one, which gets it stage by stage.
   * Of any other the acceptance names the devices.
   */
  public boolean waitsForDevice() {
    return accepted() && hostGpus() > 0 && (devices == null || devices.isEmpty());
  }

  /**
   * The same, after an event.
   *
   * @param now when it was applied, ms since 1970
   */
  public AttemptRow heard(int newest, State how, List<String> on, long now) {
    Long since = runningSince == null && how == State.RUNNING ? Long.valueOf(now) : runningSince;
    return with(how, newest, on, cancelReason, since, preempted, answer, hostMemory);
  }

  /** The same with what a person said of it. */
  public AttemptRow answered(Answer said) {
    return with(state, seq, devices, cancelReason, runningSince, preempted, said, hostMemory);
  }

  public AttemptRow cancelled(String why) {
    return with(state, seq, devices, why, runningSince, preempted, answer, hostMemory);
  }

  /** Told to end for the sake of another job. */
  public AttemptRow preempted(Preempted by, String why) {
    return with(state, seq, devices, why, runningSince, by, answer, hostMemory);
  }

  private AttemptRow with(
      State how,
      int newest,
      List<String> on,
      String why,
      Long since,
      Preempted by,
      Answer said,
      Long bytes) {
    return new AttemptRow(
        job, number, queue, host, token, how, newest, gpus, cpuSlots, placedAt, notAfter, on, why,
        gpuMemory, pool, rank, runner, since, by, said, bytes);
  }

  /** The same, promised so many bytes of host memory; null if nothing is known of its job. */
  public AttemptRow promised(Long bytes) {
    return with(state, seq, devices, cancelReason, runningSince, preempted, answer, bytes);
  }

  /**
   * The same of one that began no sooner than that: what it was held before costs its queue none.
   */
  public AttemptRow begunAt(long at) {
    return new AttemptRow(
        job,
        number,
        queue,
        host,
        token,
        state,
        seq,
        gpus,
        cpuSlots,
        Math.max(placedAt, at),
        notAfter,
        devices,
        cancelReason,
        gpuMemory,
        pool,
        rank,
        runner,
        runningSince,
        preempted,
        answer,
        hostMemory);
  }

  /** GPUs of its host that it has: those of another machine are not its host's to give. */
  public int hostGpus() {
    return onHost() ? gpus : 0;
  }

  /** Whether it is a process on its host, of no pool: those of pools are not its own. */
  public boolean takesHostMemory() {
    return pool == null && onHost();
  }

  private boolean onHost() {
    return runner == null || RunnerType.of(runner).map(RunnerType::onHost).orElse(false);
  }
}
