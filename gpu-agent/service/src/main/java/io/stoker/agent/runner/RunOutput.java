package io.stoker.agent.runner;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.RunEnd;
import io.stoker.agent.attempt.RunKey;
import io.stoker.agent.attempt.ToldBefore;
import io.stoker.agent.attempt.WorkerKey;
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

  /** So often, and so far apart, is tried again to read what an ended run has left. */
  private static final int MOST_TRIES = 20;

  private static final long TRY_MS = 250;
  private static final int MAX_NOTE = 500;
  private static final int NOT_EXECUTABLE = 126;
  private static final int NOT_FOUND = 127;

  /** What those say that become the job, if they cannot. */
  private static final Pattern CANNOT_EXECUTE =
      Pattern.compile("(?:setpriv|prlimit|unshare): failed to execute |env: [^\\n]*No such file");

  /** What they say where the host, or the job's user, may not have another process now. */
  private static final Pattern SHORT =
      Pattern.compile(
          "(?:setpriv|prlimit|unshare): failed to execute [^\\n]*:"
              + " (?:Resource temporarily unavailable|Cannot allocate memory)\\s*");

  /** None of a worker's: what it says there is read as it comes. */
  private final Optional<OutputFile> stdout;

  /** What its job says there, likewise. */
  private final Optional<MarkerLines> lines;

  private final OutputFile stderr;
  private final Path resultFile;
  private final Masks masks;
  private final SaidByRun said;
  private final JobLog log;
  private final Runnable closed;

  /** Whose log has an end by itself, which is its only one. */
  private final boolean whole;

  private boolean silent;

  /** What the result file holds; empty if that is nothing. */
  private Optional<MarkerLines.Outcome> inFile = Optional.empty();

  private TextTail outTail = new TextTail();
  private TextTail errTail = new TextTail();

  /**
   * Whose output it is.
   *
   * @param staged whether its process tells of stages
   * @param before what an earlier agent told of it
   */
  record Source(RunKey key, boolean staged, ToldBefore before) {}

  /**
   * From the beginning of its files.
   *
   * @param log where an earlier agent was
   * @param masks what nobody is to read of it
   * @param closed run when its log is at its end
   */
  RunOutput(
      Source source, RunFolders folders, JobLog log, Masks masks, Inputs inputs, Runnable closed) {
    RunKey key = source.key();
    this.masks = masks;
    this.said = new SaidByRun(inputs);
    this.lines =
        switch (key) {
          case AttemptKey attempt ->
              Optional.of(
                  new MarkerLines(
                      takers(attempt, source.staged()), source.before(), System::nanoTime));
          case WorkerKey worker -> Optional.empty();
        };
    this.log = log;
    this.closed = closed;
    this.whole = lines.isPresent() && !source.staged();
    this.stdout =
        lines.map(
            found ->
                new OutputFile(
                    folders.stdout(key),
                    masks,
                    (bytes, length) -> {
                      found.accept(bytes, length);
                      log.stdout(bytes, length);
                      outTail.accept(bytes, length);
                    }));
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

  private MarkerLines.Takers takers(AttemptKey key, boolean staged) {
    MarkerLines.Taker stage =
        (value, until, bytes) ->
            StageLine.read(value)
                .ifPresent(known -> said.say(new Input.StageSaid(key, known), bytes));
    return new MarkerLines.Takers(
        (value, until, bytes) -> said.say(new Input.Progress(key, value, until), bytes),
        (value, until, bytes) -> said.say(new Input.Result(key, value, until), bytes),
        staged ? Optional.of(stage) : Optional.empty());
  }

  /** Reads what is new, as far as what was said before is dealt with. */
  void look(byte[] buffer) {
    read(buffer);
    lines.ifPresent(MarkerLines::flush);
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
    readRest(thread, buffer, MOST_TRIES, then);
  }

  private void readRest(RunThread thread, byte[] buffer, int tries, RunThread.Step then)
      throws IOException {
    if (!read(buffer)) {
      thread.later(hasRoom() ? 0 : ROOM_MS, () -> readRest(thread, buffer, tries, then));
    } else if ((!readResultFile() || problem().or(stderr::problem).isPresent()) && tries > 0) {
      thread.later(TRY_MS, () -> readRest(thread, buffer, tries - 1, then));
    } else {
      then.run();
    }
  }

  /** Why not all of what may hold its results can be read, if so. */
  private Optional<String> problem() {
    return stdout.flatMap(OutputFile::problem);
  }

  /** Closes the log: with a last chunk, unless its end says that there is none. */
  void close() {
    try {
      if (silent) {
        log.endSilently();
      } else {
        log.end();
      }
    } finally {
      closed.run();
    }
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
    if (problem().isEmpty()) {
      lines.ifPresent(MarkerLines::end);
    }
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
        notExecuted(exitCode)
            && (errTail.text().startsWith(Failure.MARK)
                || CANNOT_EXECUTE.matcher(errTail.text()).lookingAt());
    return noProgram
        ? Optional.of(FailureCategory.LAUNCH)
        : OutOfMemory.classify(outTail.text(), errTail.text());
  }

  private static boolean notExecuted(OptionalInt exitCode) {
    return exitCode.orElse(0) == NOT_FOUND || exitCode.orElse(0) == NOT_EXECUTABLE;
  }

  /** Why its program never began, if what it would have taken is not to be had here now. */
  Optional<String> refusal(OptionalInt exitCode) {
    return notExecuted(exitCode) && SHORT.matcher(errTail.text()).matches()
        ? Optional.of(Failure.SHORT + errTail.text().strip())
        : Optional.empty();
  }

  /** A result file with something in it wins over result lines. */
  private MarkerLines.Outcome result() {
    return inFile
        .or(
            () ->
                problem().map(why -> MarkerLines.Outcome.bad("its output cannot be read: " + why)))
        .or(() -> lines.map(MarkerLines::result))
        .orElse(MarkerLines.Outcome.NONE);
  }

  /** Returns whether it could be read, or never can be. */
  private boolean readResultFile() {
    long size = resultFile.toFile().length();
    String what = "the result file";
    try {
      inFile = size == 0 ? Optional.empty() : Optional.of(read(what, size));
      return true;
    } catch (ClosedByInterruptException e) {
      throw new UncheckedIOException(e); // The agent stops: the next one reads it.
    } catch (IOException e) {
      inFile = Optional.of(MarkerLines.Outcome.bad(what + " cannot be read: " + e.getMessage()));
      return false;
    }
  }

  private MarkerLines.Outcome read(String what, long size) throws IOException {
    if (size > MarkerLines.MAX_RESULT) {
      return MarkerLines.Outcome.tooLarge(what);
    }
    if (!Files.isRegularFile(resultFile, LinkOption.NOFOLLOW_LINKS)) {
      return MarkerLines.Outcome.bad(what + " is a link, or no file");
    }
    try (InputStream in = Files.newInputStream(resultFile, LinkOption.NOFOLLOW_LINKS)) {
      byte[] bytes = in.readNBytes(MarkerLines.MAX_RESULT + 1); // it may grow meanwhile
      return MarkerLines.Outcome.of(masks.hide(bytes), what);
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
