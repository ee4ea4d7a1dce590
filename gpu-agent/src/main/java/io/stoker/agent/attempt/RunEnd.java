package io.stoker.agent.attempt;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.state.FailureCategory;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * How a run ended, told when no process of it is left.
 *
 * @param exitCode 128 + signal if killed; empty if nobody saw it end, as after a reboot
 * @param result its result, if it left one
 * @param resultProblem why its result cannot be kept, if so
 * @param category what its output tells of the kind of its failure, if it does
 * @param note a line of its output that explains a failure, if one was found
 */
public record RunEnd(
    OptionalInt exitCode,
    Optional<JsonNode> result,
    Optional<String> resultProblem,
    Optional<FailureCategory> category,
    Optional<String> note) {

  /** Nobody saw it end. */
  public static RunEnd unseen() {
    return new RunEnd(
        OptionalInt.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  /** It ended with an exit code and left nothing. */
  public static RunEnd exit(int code) {
    return new RunEnd(
        OptionalInt.of(code),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }
}
