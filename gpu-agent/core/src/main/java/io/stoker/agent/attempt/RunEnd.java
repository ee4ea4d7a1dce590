package io.stoker.agent.attempt;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.state.FailureCategory;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The end of a run, told when no process of it is left.
 *
 * @param exitCode 128 + signal if killed; empty if nobody saw it end, as after a reboot
 * @param result its result, if it left one
 * @param resultProblem why its result cannot be kept, if so
 * @param category what its output tells of the kind of its failure, if it does
 * @param note a line of its output that explains a failure, if one was found
 * @param usage what it took by the kernel's account, if that is known
 * @param silent whether it has printed nothing, and nothing of it is on the logs topic
 * @param kept as whom it ran, and what it was kept from, where that is more than of every job
 */
public record RunEnd(
    OptionalInt exitCode,
    Optional<JsonNode> result,
    Optional<String> resultProblem,
    Optional<FailureCategory> category,
    Optional<String> note,
    Optional<RunUsage> usage,
    boolean silent,
    Optional<String> kept) {
  /** Without an account of what it took. */
  public RunEnd(
      OptionalInt exitCode,
      Optional<JsonNode> result,
      Optional<String> resultProblem,
      Optional<FailureCategory> category,
      Optional<String> note) {
    this(
        exitCode, result, resultProblem, category, note, Optional.empty(), false, Optional.empty());
  }

  /** The same with an account of what it took. */
  public RunEnd took(Optional<RunUsage> account) {
    return new RunEnd(exitCode, result, resultProblem, category, note, account, silent, kept);
  }

  /** The same, explained. */
  public RunEnd because(FailureCategory kind, String why) {
    return new RunEnd(
        exitCode, result, resultProblem, Optional.of(kind), Optional.of(why), usage, silent, kept);
  }

  /** The same of one that has printed nothing, or may have. */
  public RunEnd silent(boolean nothing) {
    return new RunEnd(exitCode, result, resultProblem, category, note, usage, nothing, kept);
  }

  /** The same with what it was kept in. */
  public RunEnd kept(Optional<String> what) {
    return new RunEnd(exitCode, result, resultProblem, category, note, usage, silent, what);
  }

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
