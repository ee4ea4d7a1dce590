package io.stoker.dispatcher.scenario;

import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.AttemptRow.Heard;
import io.stoker.dispatcher.model.AttemptRow.Offer;
import io.stoker.dispatcher.model.AttemptRow.State;
import io.stoker.dispatcher.model.AttemptRow.Told;
import io.stoker.dispatcher.model.Takes;
import java.util.List;

/** Builds an open attempt: a job's first, which was placed on a host and takes nothing there. */
public final class AnAttempt {
  private final String job;
  private int number = 1;
  private String queue = "default";
  private String host = "h1";
  private String token = "t";
  private State state = State.PLACED;
  private int seq;
  private int gpus;
  private int cpuSlots;
  private long placedAt;
  private long notAfter;
  private List<String> devices = List.of();
  private Long gpuMemory;
  private Long hostMemory;
  private String pool;
  private String runner;

  private AnAttempt(String job) {
    this.job = job;
  }

  public static AnAttempt anAttempt(String job) {
    return new AnAttempt(job);
  }

  public AnAttempt number(int which) {
    number = which;
    return this;
  }

  public AnAttempt queue(String name) {
    queue = name;
    return this;
  }

  public AnAttempt host(String id) {
    host = id;
    return this;
  }

  public AnAttempt token(String base64) {
    token = base64;
    return this;
  }

  public AnAttempt gpus(int count) {
    gpus = count;
    return this;
  }

  public AnAttempt cpuSlots(int count) {
    cpuSlots = count;
    return this;
  }

  public AnAttempt devices(List<String> ids) {
    devices = ids;
    return this;
  }

  public AnAttempt gpuMemory(Long bytes) {
    gpuMemory = bytes;
    return this;
  }

  public AnAttempt hostMemory(Long bytes) {
    hostMemory = bytes;
    return this;
  }

  public AnAttempt pool(String name) {
    pool = name;
    return this;
  }

  public AnAttempt runner(String type) {
    runner = type;
    return this;
  }

  /** As its agent has told. */
  public AnAttempt heard(State how, int newest) {
    state = how;
    seq = newest;
    return this;
  }

  /**
   * @param at when it was placed, ms since 1970
   * @param until when it may be accepted at the latest
   */
  public AnAttempt placed(long at, long until) {
    placedAt = at;
    notAfter = until;
    return this;
  }

  public AttemptRow row() {
    return new AttemptRow(
        job,
        number,
        0,
        queue,
        host,
        new Offer(token, placedAt, notAfter),
        Takes.of(gpus, cpuSlots, gpuMemory, hostMemory, pool, runner),
        new Heard(state, seq, devices, null),
        Told.NOTHING);
  }
}
