package io.stoker.agent.aws;

import io.stoker.agent.aws.Ec2.Instance;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Decides the next step of an instance on its way to run, by what is seen of it.
 *
 * @param tries to start it, 1 or more
 * @param every between two of them
 * @param made tries so far
 * @param sinceMs when it was first wanted
 * @param lastMs when it was last tried
 * @param why the last try failed, if it did
 */
record Startup(
    int tries, Duration every, int made, OptionalLong sinceMs, long lastMs, Optional<String> why) {
  /** Between two looks at an instance that is on its way, at most. */
  private static final long LOOK_MS = 5_000;

  /** What to do. */
  sealed interface Decision {
    record Ready(String address) implements Decision {}

    record Start() implements Decision {}

    record Later(long ms) implements Decision {}

    /**
     * @param gone whether there is no such instance any more
     */
    record Never(String why, boolean gone) implements Decision {}
  }

  static Startup of(int tries, Duration every) {
    return new Startup(tries, every, 0, OptionalLong.empty(), 0, Optional.empty());
  }

  /** It is wanted from now on, if it was not before. */
  Startup wanted(long nowMs) {
    return sinceMs.isPresent()
        ? this
        : new Startup(tries, every, made, OptionalLong.of(nowMs), lastMs, why);
  }

  /** A try was made. */
  Startup tried(long nowMs, Optional<String> failure) {
    return new Startup(tries, every, made + 1, sinceMs, nowMs, failure);
  }

  Decision on(String id, Instance seen, long nowMs) {
    return switch (seen.state()) {
      case RUNNING ->
          seen.address().<Decision>map(Decision.Ready::new).orElseGet(() -> later(id, seen, nowMs));
      case PENDING, STOPPING -> later(id, seen, nowMs);
      case STOPPED -> stopped(id, seen, nowMs);
      case SHUTTING_DOWN, TERMINATED ->
          new Decision.Never("instance " + id + " is terminated", true);
    };
  }

  /** Something was asked in vain, which counts as a try. */
  Decision onFailure(Ec2Exception failure) {
    return switch (failure.kind()) {
      case PERSON -> new Decision.Never(failure.getMessage(), false);
      case NOTHING -> new Decision.Never(failure.getMessage(), true);
      case LATER ->
          made >= tries
              ? new Decision.Never(
                  "%s (%d tries, %d s apart)"
                      .formatted(failure.getMessage(), made, every.toSeconds()),
                  false)
              : new Decision.Later(every.toMillis());
    };
  }

  private Decision stopped(String id, Instance seen, long nowMs) {
    if (made >= tries) {
      return new Decision.Never(
          "instance %s did not start in %d tries%s".formatted(id, made, reason(seen)), false);
    }
    long wait = made == 0 ? 0 : lastMs + every.toMillis() - nowMs;
    return wait <= 0 ? new Decision.Start() : new Decision.Later(wait);
  }

  private Decision later(String id, Instance seen, long nowMs) {
    long limit = every.toMillis() * tries;
    if (nowMs - sinceMs.orElse(nowMs) > limit) {
      return new Decision.Never(
          "instance %s is still %s after %d s%s"
              .formatted(
                  id,
                  seen.state().name().toLowerCase(java.util.Locale.ROOT),
                  limit / 1000,
                  reason(seen)),
          false);
    }
    return new Decision.Later(Math.min(LOOK_MS, every.toMillis()));
  }

  private String reason(Instance seen) {
    return why.or(seen::reason).map(text -> ": " + text).orElse("");
  }
}
