package io.stoker.dispatcher.model;

import io.stoker.common.state.Successive;
import java.util.List;

/**
 * An open attempt on a host; its row goes when it is over there. While {@link State#PLACED} it is
 * the outbox of its placement, which is published again until {@code notAfter}.
 *
 * @param number the fencing token
 * @param rank which member of its {@link Gang} this is; 0 if it has one host
 * @param queue whose share it uses
 */
public record AttemptRow(
    String job,
    int number,
    int rank,
    String queue,
    String host,
    Offer offer,
    Takes takes,
    Heard heard,
    Told told) {
  /**
   * How it is placed.
   *
   * @param token base64 of the key that signs its events
   * @param placedAt ms since 1970
   * @param notAfter ms since 1970 after which the agent refuses it
   */
  public record Offer(String token, long placedAt, long notAfter) {}

  /**
   * What its agent has told.
   *
   * @param seq of the newest event applied, 0 before the first
   * @param runningSince when its agent's word came that it runs, ms since 1970; null before
   */
  public record Heard(State state, int seq, List<String> devices, Long runningSince) {
    public static final Heard NOTHING = new Heard(State.PLACED, 0, List.of(), null);
  }

  /**
   * What its agent is to be told.
   *
   * @param cancelReason why it was told to end, null if it was not
   * @param preempted that it was told to end for another job's sake; null if that is not why
   * @param answer what the person says who ran it; null if nothing yet
   */
  public record Told(String cancelReason, Preempted preempted, Answer answer) {
    public static final Told NOTHING = new Told(null, null, null);
  }

  /**
   * Its room is another job's.
   *
   * @param forJob which gets it
   * @param behind where its job gets in line again: behind those that came until then, by {@link
   *     Arrival}; null if it keeps its place
   */
  public record Preempted(String forJob, Long behind) {}

  public String token() {
    return offer.token();
  }

  public long placedAt() {
    return offer.placedAt();
  }

  public long notAfter() {
    return offer.notAfter();
  }

  public State state() {
    return heard.state();
  }

  public int seq() {
    return heard.seq();
  }

  public List<String> devices() {
    return heard.devices();
  }

  public Long runningSince() {
    return heard.runningSince();
  }

  public String cancelReason() {
    return told.cancelReason();
  }

  public Preempted preempted() {
    return told.preempted();
  }

  public Answer answer() {
    return told.answer();
  }

  /** How far the agent has told that it is. */
  public enum State implements Successive<State> {
    PLACED,
    ACCEPTED,
    RUNNING;

    /** What an agent tells is never taken back. */
    @Override
    public boolean leadsTo(State next) {
      return next.compareTo(this) >= 0;
    }
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
    return state() != State.PLACED;
  }

  /**
   * Whether its agent has it and has given it no GPU: a staged one, which gets it stage by stage.
   * Of any other the acceptance names the devices.
   */
  public boolean waitsForDevice() {
    return accepted() && takes.hostGpus() > 0 && (devices() == null || devices().isEmpty());
  }

  /**
   * The same, after an event.
   *
   * @param now when it was applied, ms since 1970
   */
  public AttemptRow heard(int newest, State how, List<String> on, long now) {
    boolean begins = runningSince() == null && how == State.RUNNING;
    Long since = begins ? Long.valueOf(now) : runningSince();
    Heard further = new Heard(state().to(how), newest, on, since);
    return new AttemptRow(job, number, rank, queue, host, offer, takes, further, told);
  }

  /** The same with what a person said of it. */
  public AttemptRow answered(Answer said) {
    return telling(new Told(cancelReason(), preempted(), said));
  }

  public AttemptRow cancelled(String why) {
    return telling(new Told(why, preempted(), answer()));
  }

  /** Told to end for the sake of another job. */
  public AttemptRow preempted(Preempted by, String why) {
    return telling(new Told(why, by, answer()));
  }

  private AttemptRow telling(Told what) {
    return new AttemptRow(job, number, rank, queue, host, offer, takes, heard, what);
  }

  /**
   * The same of one that began no sooner than that: what it was held before costs its queue none.
   */
  public AttemptRow begunAt(long at) {
    Offer later = new Offer(token(), Math.max(placedAt(), at), notAfter());
    return new AttemptRow(job, number, rank, queue, host, later, takes, heard, told);
  }
}
