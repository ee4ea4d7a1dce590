package io.stoker.agent.ssh;

import io.stoker.agent.attempt.Input.Cause;
import io.stoker.agent.attempt.Input.NotStarted;
import io.stoker.agent.ssh.LinkException.Kind;
import io.stoker.agent.ssh.Look.State;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;

/**
 * One run on a node, as it is followed: what happened → how it stands, and what is to be done next.
 * Whatever becomes of the link, a job that may have begun is asked after until its node has told
 * its end, or the limit has passed on both sides.
 *
 * @param phase how far it has got, as is known
 * @param failures of the link in a row
 * @param looks while it is starting, or alive
 * @param reachedMs when its node may have been reached last, on a clock that only rises
 * @param kill grace in ms, once it is to end
 * @param killSent whether the node has been told so
 */
record RemoteRun(
    FollowRules rules,
    Phase phase,
    int failures,
    int looks,
    long reachedMs,
    OptionalLong kill,
    boolean killSent) {
  /** A job that has taken its run and got no process within so many looks has died at it. */
  private static final int PATIENCE = 20;

  /** The first try to reach a node again, ms. */
  private static final long SOON = 1_000;

  private static final long FIRST_LOOK = 100;
  private static final int LOOKS_A_PACE = 5;

  private static final Set<State> OVER = EnumSet.of(State.EXITED, State.ABANDONED, State.GONE);

  /** Beyond the limit, until the node has surely ended what it gave up, ms. */
  private static final long MARGIN = 30_000;

  enum Phase {
    /** Nothing was asked of the node. */
    NEW,
    /** It may have begun. */
    UNSURE,
    /** It has begun. */
    BEGUN,
    /** Its end was told. */
    OVER
  }

  /** How it stands, and what to do, in order. */
  record Turn(RemoteRun run, List<RunStep> steps) {
    private Turn after(RunStep first) {
      return new Turn(run, Stream.concat(Stream.of(first), steps.stream()).toList());
    }
  }

  static RemoteRun fresh(FollowRules rules, long nowMs) {
    return new RemoteRun(rules, Phase.NEW, 0, 0, nowMs, OptionalLong.empty(), false);
  }

  Turn on(RunEvent event, long nowMs) {
    return switch (event) {
      case RunEvent.Begin begin -> begin();
      case RunEvent.Resume resume ->
          in(resume.begun() ? Phase.BEGUN : Phase.UNSURE).turn(new RunStep.Look());
      case RunEvent.NotYet notYet ->
          canEndNow() ? over(endedBefore()) : turn(new RunStep.Wait(notYet.waitMs()));
      case RunEvent.NoNode none -> noNode(none, nowMs);
      case RunEvent.Told told -> reached(nowMs).told(told.look());
      case RunEvent.Failed failed -> failed(failed.kind(), failed.why(), nowMs);
      case RunEvent.Refused refused ->
          phase == Phase.NEW
              ? over(new RunStep.NotBegun(refused.cause(), refused.why()))
              : withKill(0).sendKill();
      case RunEvent.Waited waited -> next();
      case RunEvent.Kill asked -> kill(asked.graceMs());
    };
  }

  private Turn begin() {
    return canEndNow() ? over(endedBefore()) : turn(new RunStep.Start());
  }

  private Turn noNode(RunEvent.NoNode none, long nowMs) {
    if (phase == Phase.NEW) {
      return over(new RunStep.NotBegun(Cause.LAUNCH, none.why()));
    }
    return none.gone()
        ? over(ended(OptionalInt.empty(), none.why()))
        : failed(Kind.UNREACHABLE, none.why(), nowMs);
  }

  private Turn told(Look look) {
    if (look.more() && OVER.contains(look.state())) {
      return turn(new RunStep.Look());
    }
    return switch (look.state()) {
      case NONE ->
          phase == Phase.BEGUN
              ? over(ended(OptionalInt.empty(), "its folder on the node has gone"))
              : unbegun();
      case UNCLAIMED -> unbegun();
      case REVOKED -> over(endedBefore());
      case STARTING -> starting();
      case ALIVE -> alive();
      case EXITED -> exited(look);
      case ABANDONED ->
          over(
              ended(
                  OptionalInt.empty(),
                  "its node ended it: nobody had asked after it for too long"));
      case GONE ->
          looks < 0
              ? over(ended(OptionalInt.empty(), null))
              // One more look after the sweep: the last output, and an exit code that came late.
              : withLooks(-1).turn(new RunStep.Sweep());
    };
  }

  private Turn unbegun() {
    if (kill.isEmpty()) {
      return turn(new RunStep.Start());
    }
    return killSent ? over(endedBefore()) : sendKill();
  }

  private Turn starting() {
    if (looks >= PATIENCE) {
      return withLooks(-1).turn(new RunStep.Sweep());
    }
    return looks < 0
        ? over(ended(OptionalInt.empty(), "it died on its node before it had a process"))
        : killMissed().withLooks(looks + 1).turn(new RunStep.Wait(rules.lookEvery().toMillis()));
  }

  private Turn alive() {
    RemoteRun begun = in(Phase.BEGUN).withLooks(Math.max(0, looks) + 1);
    Turn then =
        kill.isPresent() && !killSent
            ? begun.sendKill()
            : begun.turn(new RunStep.Wait(begun.lookDelay()));
    return phase == Phase.BEGUN ? then : then.after(new RunStep.Began());
  }

  private Turn exited(Look look) {
    OptionalInt code = OptionalInt.of((int) look.value());
    return look.unusable().isPresent()
        ? over(new RunStep.Ended(code, look.unusable().get(), true))
        : over(ended(code, null));
  }

  private Turn failed(Kind kind, String why, long nowMs) {
    RemoteRun failed = counted();
    if (phase == Phase.NEW && kind != Kind.BROKEN) {
      return failed.cannotStart(kind, why);
    }
    // What was under way may have happened: it may have begun, and its node may have heard of us.
    RemoteRun unsure = phase == Phase.NEW ? failed.in(Phase.UNSURE) : failed;
    unsure = kind == Kind.BROKEN ? unsure.at(nowMs) : unsure;
    long limit = rules.followLimit().map(most -> most.toMillis() + MARGIN).orElse(Long.MAX_VALUE);
    if (nowMs - unsure.reachedMs() > limit) {
      return unsure.over(
          ended(
              OptionalInt.empty(),
              "its node could not be reached for %d s: %s"
                  .formatted((nowMs - unsure.reachedMs()) / 1000, why)));
    }
    long wait = Math.min(failures == 0 ? SOON : Long.MAX_VALUE, rules.followEvery().toMillis());
    return unsure.turn(
        new RunStep.Note("%s; the job runs on, and is followed again".formatted(why)),
        new RunStep.Wait(wait));
  }

  private Turn cannotStart(Kind kind, String why) {
    if (canEndNow()) {
      return over(endedBefore());
    }
    if (kind == Kind.REFUSED) {
      return over(new RunStep.NotBegun(Cause.LAUNCH, why));
    }
    return failures >= rules.tries()
        ? over(new RunStep.NotBegun(Cause.LAUNCH, "%s (%d tries)".formatted(why, failures)))
        : turn(
            new RunStep.Note("%s; try %d of %d".formatted(why, failures, rules.tries())),
            new RunStep.Wait(rules.tryEvery().toMillis()));
  }

  /** The time is up. */
  private Turn next() {
    if (phase == Phase.NEW) {
      return begin();
    }
    return kill.isPresent() && !killSent ? sendKill() : turn(new RunStep.Look());
  }

  private Turn kill(long graceMs) {
    if (phase == Phase.OVER) {
      return turn();
    }
    boolean sooner = kill.isEmpty() || graceMs < kill.getAsLong();
    return (sooner ? withKill(graceMs) : this).next();
  }

  private RemoteRun withKill(long graceMs) {
    return new RemoteRun(rules, phase, failures, looks, reachedMs, OptionalLong.of(graceMs), false);
  }

  private Turn sendKill() {
    RemoteRun sent = new RemoteRun(rules, phase, failures, looks, reachedMs, kill, true);
    return sent.turn(new RunStep.Stop(kill.getAsLong()));
  }

  /** There was nothing to be killed as yet: if the node was told to, it must be told again. */
  private RemoteRun killMissed() {
    return new RemoteRun(rules, phase, failures, looks, reachedMs, kill, false);
  }

  private boolean canEndNow() {
    return phase == Phase.NEW && kill.isPresent();
  }

  /** Short jobs are told of soon, long ones looked at seldom. */
  private long lookDelay() {
    long most = rules.lookEvery().toMillis();
    int doublings = kill.isPresent() ? 0 : Math.min(looks / LOOKS_A_PACE, 10);
    return Math.min(most, FIRST_LOOK << doublings);
  }

  private static RunStep endedBefore() {
    return new RunStep.NotBegun(Cause.UNCLAIMED, NotStarted.UNBEGUN);
  }

  private static RunStep ended(OptionalInt exitCode, String note) {
    return new RunStep.Ended(exitCode, note, false);
  }

  private Turn over(RunStep last) {
    return in(Phase.OVER).turn(last);
  }

  private Turn turn(RunStep... steps) {
    return new Turn(this, List.of(steps));
  }

  private RemoteRun in(Phase next) {
    return new RemoteRun(rules, next, failures, looks, reachedMs, kill, killSent);
  }

  private RemoteRun withLooks(int count) {
    return new RemoteRun(rules, phase, failures, count, reachedMs, kill, killSent);
  }

  private RemoteRun counted() {
    // A kill that may not have arrived is sent again.
    return new RemoteRun(rules, phase, failures + 1, looks, reachedMs, kill, false);
  }

  private RemoteRun reached(long nowMs) {
    Phase now = phase == Phase.NEW ? Phase.UNSURE : phase;
    return new RemoteRun(rules, now, 0, looks, nowMs, kill, killSent);
  }

  private RemoteRun at(long nowMs) {
    return new RemoteRun(rules, phase, failures, looks, nowMs, kill, killSent);
  }
}
