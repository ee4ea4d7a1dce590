package io.stoker.agent.loop;

import io.stoker.common.message.Parts;
import io.stoker.common.message.PlacementsRecord;
import io.stoker.common.message.ToAgent;
import io.stoker.common.message.Workload;
import io.stoker.common.request.PoolName;
import io.stoker.common.text.PlainText;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** Checks a record before anything is decided on it: whether it can be for this agent. */
final class PlacementsRecordCheck {
  private static final int LONGEST_NAME = 200;

  private PlacementsRecordCheck() {}

  /** What is wrong with it, if anything. */
  static Optional<String> problem(PlacementsRecord record, String host) {
    if (record.v() != PlacementsRecord.VERSION) {
      return Optional.of(
          "version " + record.v() + "; this agent reads version " + PlacementsRecord.VERSION);
    }
    if (!host.equals(record.host())) {
      return Optional.of("for host " + record.host() + "; this is " + host);
    }
    if (record.messages() == null || record.messages().isEmpty()) {
      return Optional.of("no messages that this agent knows");
    }
    return problem(record.messages());
  }

  /** What is wrong with messages that were put together, if anything. */
  static Optional<String> problem(List<ToAgent> messages) {
    for (ToAgent message : messages) {
      Optional<String> problem =
          message == null ? Optional.of("a message is null") : problem(message);
      if (problem.isPresent()) {
        return problem;
      }
    }
    return Optional.empty();
  }

  private static Optional<String> problem(ToAgent message) {
    return switch (message) {
      case ToAgent.Welcome welcome -> missing(welcome.nonce(), "nonce of a welcome");
      case ToAgent.Challenge asked ->
          missing(asked.nonce(), "nonce of a challenge")
              .or(() -> missing(asked.challenge(), "challenge of a challenge"));
      case ToAgent.Refused told ->
          missing(told.nonce(), "nonce of a refusal")
              .or(() -> missing(told.reason(), "reason of a refusal"));
      case ToAgent.Clock clock -> Optional.empty();
      case ToAgent.Place place ->
          job(place.job(), "job of a placement")
              .or(() -> token(place.token()))
              .or(
                  () ->
                      place
                          .lookAhead()
                          .flatMap(held -> missing(held.queue(), "queue of a placement")))
              .or(() -> figures(place))
              .or(() -> nulls(place));
      case ToAgent.Start start ->
          job(start.job(), "job of a start").or(() -> address(start.address()));
      case ToAgent.Cancel cancel -> job(cancel.job(), "job of a cancel");
      case ToAgent.CallBack back -> job(back.job(), "job of a call back");
      case ToAgent.Finish finish -> job(finish.job(), "job of a finish");
      case ToAgent.SetTimeout set -> job(set.job(), "job of a time-out");
      case ToAgent.Report report -> job(report.job(), "job of a report");
      case ToAgent.Forget forget -> job(forget.job(), "job of a forget");
      case ToAgent.SetPolicy set -> Optional.empty();
      case ToAgent.SetDevices set -> Optional.empty();
      case ToAgent.Pool pool ->
          missing(pool.id(), "id of a pool's message")
              .or(() -> missing(pool.pool(), "pool of a pool's message"))
              .or(() -> missing(pool.action(), "action of a pool's message"));
      case ToAgent.SetPools set -> pools(set);
      case ToAgent.Part part ->
          Parts.plausible(part)
              ? Optional.empty()
              : Optional.of("no part of a message: " + part.n() + " of " + part.of());
    };
  }

  private static Optional<String> pools(ToAgent.SetPools set) {
    boolean named =
        set.pools() != null
            && set.pools().stream()
                .allMatch(
                    pool ->
                        pool != null
                            && pool.kind() != null
                            && pool.name() != null
                            && PoolName.isValid(pool.name()));
    return named
        ? set.pools().stream().flatMap(pool -> nulls(pool).stream()).findFirst()
        : Optional.of("a pool that is set has no name, or no kind");
  }

  private static Optional<String> nulls(ToAgent.WorkerPool pool) {
    String of = " of pool " + pool.name();
    return nulls(pool.command(), "command" + of)
        .or(() -> nulls(pool.env(), "env" + of))
        .or(() -> nulls(pool.secrets(), "secrets" + of));
  }

  /** No decision can be made on less than nothing. */
  private static Optional<String> figures(ToAgent.Place place) {
    Workload.Share share = place.workload().share();
    Workload.Gpus gpus =
        place.workload() instanceof Workload.Remote remote ? remote.gpus() : share.gpus();
    boolean less =
        gpus.count() < 0
            || gpus.memory().orElse(0) < 0
            || share.cpuSlots() < 0
            || place.program().memory().orElse(0) < 0;
    return less ? Optional.of("a placement takes less than nothing") : Optional.empty();
  }

  private static Optional<String> nulls(ToAgent.Place place) {
    Workload.Program program = place.program();
    return nulls(program.command(), "command of a placement")
        .or(() -> nulls(program.env(), "env of a placement"))
        .or(() -> nulls(program.claim().secrets(), "secrets of a placement"))
        .or(() -> nulls(place.workload().share().avoid(), "avoid of a placement"))
        .or(() -> nulls(place.given().dependencies(), "dependencies of a placement"));
  }

  private static Optional<String> nulls(Map<?, ?> some, String what) {
    return some == null ? Optional.empty() : nulls(some.values(), what);
  }

  private static Optional<String> nulls(Collection<?> some, String what) {
    return some == null || some.stream().noneMatch(Objects::isNull)
        ? Optional.empty()
        : Optional.of("null in the " + what);
  }

  /** It names a folder of this host, and a word in what its spawner says. */
  private static Optional<String> job(String id, String what) {
    return missing(id, what)
        .or(
            () ->
                isName(id)
                    ? Optional.empty()
                    : Optional.of("the %s can be none: '%s'".formatted(what, PlainText.of(id))));
  }

  private static boolean isName(String id) {
    return id.codePointCount(0, id.length()) <= LONGEST_NAME
        && id.charAt(0) != '.'
        && id.chars().allMatch(c -> c > ' ' && c != 0x7f && c != '/');
  }

  private static Optional<String> missing(String value, String what) {
    return value == null || value.isEmpty() ? Optional.of("no " + what) : Optional.empty();
  }

  private static Optional<String> address(String address) {
    return address == null || address.lastIndexOf(':') < 1
        ? Optional.of("no address of a start")
        : Optional.empty();
  }

  private static Optional<String> token(String token) {
    try {
      return token == null || Base64.getDecoder().decode(token).length == 0
          ? Optional.of("no token of a placement")
          : Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.of("the token of a placement is no base64");
    }
  }
}
