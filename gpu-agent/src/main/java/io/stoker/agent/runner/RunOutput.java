package io.stoker.agent.runner;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.RunEnd;
import io.stoker.agent.spawn.Failure;
import io.stoker.common.state.FailureCategory;
import io.stoker.common.text.PlainText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;

/** Follows what one run writes: log, progress, results, and what explains a failure. */
final class RunOutput {
  private static final long MOST_AT_ONCE = 4 * 1024 * 1024;
  private static final int MAX_NOTE = 500;
  private static final int NOT_EXECUTABLE = 126;
  private static final int NOT_FOUND = 127;

  /** None of a worker's: what it says there is read as it comes. */
  private final Optional<OutputFile> stdout;

  private final OutputFile stderr;
  private final Path resultFile;
  private final MarkerLines lines;
  private final JobLog log;
  private final Runnable closed;
  private TextTail outTail = new TextTail();
  private TextTail errTail = new TextTail();

  /**
   * From the beginning of its files.
   *
   * @param log where an earlier agent was
   * @param closed run when its log is at its end
   */
  RunOutput(
      AttemptKey key,
      boolean worker,
      RunFolders folders,
      JobLog log,
      Consumer<Input> inputs,
      Runnable closed) {
    this.lines =
        new MarkerLines(
            (progress, until) -> inputs.accept(new Input.Progress(key, progress, until)),
            (result, until) -> inputs.accept(new Input.Result(key, result, until)),
            (said, until) ->
                StageLine.read(said)
                    .ifPresent(known -> inputs.accept(new Input.StageSaid(key, known))));
    this.log = log;
    this.closed = closed;
    OutputFile out =
        new OutputFile(
            folders.stdout(key),
            (bytes, length) -> {
              lines.accept(bytes, length);
              log.stdout(bytes, length);
              outTail.accept(bytes, length);
            });
    this.stdout = worker ? Optional.empty() : Optional.of(out);
    this.stderr =
        new OutputFile(
            folders.stderr(key),
            (bytes, length) -> {
              log.stderr(bytes, length);
              errTail.accept(bytes, length);
            });
    this.resultFile = folders.result(key);
  }

  /** Reads what is new. */
  void look(byte[] buffer) throws IOException {
    if (stdout.isPresent()) {
      stdout.get().look(buffer, MOST_AT_ONCE);
    }
    stderr.look(buffer, MOST_AT_ONCE);
    log.flush();
  }

  /** Closes the log. */
  void close() {
    log.end();
    closed.run();
  }

  /** Another process writes on: what this one wrote last explains nothing of that one's end. */
  void goOn() {
    outTail = new TextTail();
    errTail = new TextTail();
  }

  /** Reads the rest, and says how the run ended. */
  RunEnd end(OptionalInt exitCode, byte[] buffer) throws IOException {
    if (stdout.isPresent()) {
      stdout.get().look(buffer, Long.MAX_VALUE / 2);
    }
    stderr.look(buffer, Long.MAX_VALUE / 2);
    lines.end();
    boolean failed = exitCode.isEmpty() || exitCode.getAsInt() != 0;
    MarkerLines.Outcome result = result();
    return new RunEnd(
        exitCode,
        result.value(),
        result.problem(),
        failed ? category(exitCode) : Optional.empty(),
        failed ? lastLine() : Optional.empty());
  }

  private Optional<FailureCategory> category(OptionalInt exitCode) {
    boolean noProgram =
        exitCode.isPresent()
            && (exitCode.getAsInt() == NOT_FOUND || exitCode.getAsInt() == NOT_EXECUTABLE)
            && (errTail.text().startsWith(Failure.MARK)
                || errTail.text().startsWith(RunAs.CANNOT_EXECUTE));
    return noProgram
        ? Optional.of(FailureCategory.LAUNCH)
        : OutOfMemory.classify(outTail.text(), errTail.text());
  }

  /** A result file with something in it wins over result lines. */
  private MarkerLines.Outcome result() throws IOException {
    long size = resultFile.toFile().length();
    if (size == 0) {
      return lines.result();
    }
    String what = "the result file";
    return size > MarkerLines.MAX_RESULT
        ? MarkerLines.Outcome.tooLarge(what)
        : MarkerLines.Outcome.of(Files.readAllBytes(resultFile), what);
  }

  private Optional<String> lastLine() {
    return errTail
        .text()
        .lines()
        .map(String::strip)
        .filter(line -> !line.isEmpty())
        .reduce((before, after) -> after)
        .map(line -> PlainText.of(line, MAX_NOTE));
  }
}
