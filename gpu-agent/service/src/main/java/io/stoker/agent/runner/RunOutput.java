package io.stoker.agent.runner;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.RunEnd;
import io.stoker.agent.attempt.ToldBefore;
import io.stoker.agent.secret.Masks;
import io.stoker.agent.spawn.Failure;
import io.stoker.common.state.FailureCategory;
import io.stoker.common.text.PlainText;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/** Follows what one run writes: log, progress, results, and what explains a failure. */
final class RunOutput {
  private static final long MOST_AT_ONCE = 4 * 1024 * 1024;
  private static final long ROOM_MS = 10;
  private static final int MAX_NOTE = 500;
  private static final int NOT_EXECUTABLE = 126;
  private static final int NOT_FOUND = 127;

  /** What those say that become the job, if they cannot. */
  private static final Pattern CANNOT_EXECUTE =
      Pattern.compile("(?:setpriv|prlimit|unshare): failed to execute |env: [^\\n]*No such file");

  /** None of a worker's: what it says there is read as it comes. */
  private final Optional<OutputFile> stdout;

  private final OutputFile stderr;
  private final Path resultFile;
  private final Masks masks;
  private final SaidByRun said;
  private final MarkerLines lines;
  private final JobLog log;
  private final Runnable closed;

  /** Whose log has an end by itself, which is its only one. */
  private final boolean whole;

  private boolean silent;
  private TextTail outTail = new TextTail();
  private TextTail errTail = new TextTail();

  /**
   * Whose output it is.
   *
   * @param worker whether it is a worker's of a pool
   * @param staged whether its process tells of stages
   * @param before what an earlier agent told of it
   */
  record Source(AttemptKey key, boolean worker, boolean staged, ToldBefore before) {}

  /**
   * From the beginning of its files.
   *
   * @param log where an earlier agent was
   * @param masks what nobody is to read of it
   * @param closed run when its log is at its end
   */
  RunOutput(
      Source source, RunFolders folders, JobLog log, Masks masks, Inputs inputs, Runnable closed) {
    AttemptKey key = source.key();
    this.masks = masks;
    this.said = new SaidByRun(inputs);
    this.lines = new MarkerLines(takers(source), source.before(), System::nanoTime);
    this.log = log;
    this.closed = closed;
    this.whole = !source.worker() && !source.staged();
    OutputFile out =
        new OutputFile(
            folders.stdout(key),
            masks,
            (bytes, length) -> {
              lines.accept(bytes, length);
              log.stdout(bytes, length);
              outTail.accept(bytes, length);
            });
    this.stdout = source.worker() ? Optional.empty() : Optional.of(out);
    this.stderr =
        new OutputFile(
            folders.stderr(key),
            masks,
            (bytes, length) -> {
              log.stderr(bytes, length);
              errTail.accept(bytes, length);
            });
    this.resultFile = folders.result(key);
  }

  private MarkerLines.Takers takers(Source source) {
    AttemptKey key = source.key();
    MarkerLines.Taker stage =
        (value, until, bytes) ->
            StageLine.read(value)
                .ifPresent(known -> said.say(new Input.StageSaid(key, known), bytes));
    return new MarkerLines.Takers(
        (value, until, bytes) -> said.say(new Input.Progress(key, value, until), bytes),
        (value, until, bytes) -> said.say(new Input.Result(key, value, until), bytes),
        source.staged() ? Optional.of(stage) : Optional.empty());
  }

  /** Reads what is new, as far as what was said before is dealt with. */
  void look(byte[] buffer) {
    read(buffer);
    lines.flush();
    log.flush();
  }

  /** Returns whether all was read. */
  private boolean read(byte[] buffer) {
    boolean out = stdout.map(file -> file.look(buffer, MOST_AT_ONCE, this::hasRoom)).orElse(true);
    return stderr.look(buffer, MOST_AT_ONCE, () -> true) && out;
  }

  private boolean hasRoom() {
    return !said.full();
  }

  /**
   * Reads the rest of what an ended run wrote, in turns, so that others have theirs between, then
   * goes on.
   */
  void rest(RunThread thread, byte[] buffer, RunThread.Step then) throws IOException {
    stdout.ifPresent(OutputFile::stop);
    stderr.stop();
    readRest(thread, buffer, then);
  }

  private void readRest(RunThread thread, byte[] buffer, RunThread.Step then) throws IOException {
    if (read(buffer)) {
      then.run();
    } else {
      thread.later(hasRoom() ? 0 : ROOM_MS, () -> readRest(thread, buffer, then));
    }
  }

  /** Closes the log: with a last chunk, unless its end says that there is none. */
  void close() {
    if (silent) {
      log.endSilently();
    } else {
      log.end();
    }
    closed.run();
  }

  /** Closes the log of a run whose end was told before, whatever that said. */
  void closeWithLastChunk() {
    silent = false;
    close();
  }

  /** Another process writes on: what this one wrote last explains nothing of that one's end. */
  void goOn() {
    stdout.ifPresent(OutputFile::goOn);
    stderr.goOn();
    outTail = new TextTail();
    errTail = new TextTail();
  }

  /** Says how the run ended, of which all was read. */
  RunEnd end(OptionalInt exitCode) {
    lines.end();
    boolean failed = exitCode.isEmpty() || exitCode.getAsInt() != 0;
    MarkerLines.Outcome result = result();
    silent = whole && log.silent();
    return new RunEnd(
            exitCode,
            result.value(),
            result.problem(),
            failed ? category(exitCode) : Optional.empty(),
            failed ? lastLine() : Optional.empty())
        .silent(silent);
  }

  private Optional<FailureCategory> category(OptionalInt exitCode) {
    boolean noProgram =
        exitCode.isPresent()
            && (exitCode.getAsInt() == NOT_FOUND || exitCode.getAsInt() == NOT_EXECUTABLE)
            && (errTail.text().startsWith(Failure.MARK)
                || CANNOT_EXECUTE.matcher(errTail.text()).lookingAt());
    return noProgram
        ? Optional.of(FailureCategory.LAUNCH)
        : OutOfMemory.classify(outTail.text(), errTail.text());
  }

  /** A result file with something in it wins over result lines. */
  private MarkerLines.Outcome result() {
    long size = resultFile.toFile().length();
    if (size == 0) {
      return lines.result();
    }
    String what = "the result file";
    return size > MarkerLines.MAX_RESULT ? MarkerLines.Outcome.tooLarge(what) : read(what);
  }

  private MarkerLines.Outcome read(String what) {
    if (!Files.isRegularFile(resultFile, LinkOption.NOFOLLOW_LINKS)) {
      return MarkerLines.Outcome.bad(what + " is a link, or no file");
    }
    try (InputStream in = Files.newInputStream(resultFile, LinkOption.NOFOLLOW_LINKS)) {
      byte[] bytes = in.readNBytes(MarkerLines.MAX_RESULT + 1); // it may grow meanwhile
      return MarkerLines.Outcome.of(masks.hide(bytes), what);
    } catch (ClosedByInterruptException e) {
      throw new UncheckedIOException(e); // The agent stops: the next one reads it.
    } catch (IOException e) {
      return MarkerLines.Outcome.bad(what + " cannot be read: " + e.getMessage());
    }
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
