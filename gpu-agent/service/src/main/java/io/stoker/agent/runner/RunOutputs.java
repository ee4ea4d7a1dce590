package io.stoker.agent.runner;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.RunKey;
import io.stoker.agent.attempt.ToldBefore;
import io.stoker.agent.report.LogSink;
import io.stoker.agent.secret.HostSecrets;
import io.stoker.agent.secret.Masks;
import io.stoker.common.message.LogChunk;
import io.stoker.common.message.ToAgent.Gang;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Follows what runs write, and knows of those that have ended what the broker does not have yet:
 * that long their folders stay.
 */
final class RunOutputs {
  private final RunFolders folders;
  private final String host;
  private final long logCap;
  private final HostSecrets secrets;
  private final LogSink sink;
  private final Inputs inputs;
  private final LongSupplier wallMs;
  private final Map<RunKey, Untaken> untaken = new ConcurrentHashMap<>();

  /** What earlier agents told of runs that are taken over, until their outputs are opened. */
  private final Map<AttemptKey, ToldBefore> toldBefore = new ConcurrentHashMap<>();

  private record Untaken(LogCursor book, String request) {}

  RunOutputs(
      RunFolders folders,
      RunnerSettings settings,
      LogSink sink,
      Inputs inputs,
      LongSupplier wallMs) {
    this.folders = folders;
    this.host = settings.owner().host();
    this.logCap = settings.terms().logCap();
    this.secrets = settings.secrets();
    this.sink = sink;
    this.inputs = inputs;
    this.wallMs = wallMs;
  }

  /** Says what earlier agents told of a run that is about to be taken over; from any thread. */
  void toldBefore(AttemptKey key, ToldBefore told) {
    if (told.results() > 0) {
      toldBefore.put(key, told);
    }
  }

  /** That of a run, from its beginning; its log goes on where it was. */
  RunOutput open(RunSpec spec) {
    Integer rank = spec.gang().map(Gang::rank).orElse(null);
    return open(spec.key(), source(spec.key(), rank, spec.given().request()), spec.staged());
  }

  private LogChunk.Source source(RunKey key, Integer rank, String request) {
    return new LogChunk.Source(key.stem(), key.number(), rank, host, request);
  }

  private RunOutput open(RunKey key, LogChunk.Source source, boolean staged) {
    ToldBefore before = Optional.ofNullable(toldBefore.remove(key)).orElse(ToldBefore.NOTHING);
    LogCursor book = LogCursor.open(folders.folder(key));
    JobLog log = new JobLog(source, logCap, sink, wallMs, book);
    Masks masks = secrets.masks();
    log.again(folders.folder(key), masks);
    return new RunOutput(
        new RunOutput.Source(key, staged, before),
        folders,
        log,
        masks,
        inputs,
        () -> ended(key, source.request(), book));
  }

  private void ended(RunKey key, String request, LogCursor book) {
    Untaken log = new Untaken(book, request);
    untaken.put(key, log);
    book.onceTaken(() -> untaken.remove(key, log));
  }

  /**
   * Reads what a run has written that ended under an earlier agent, sends the rest of it, and goes
   * on.
   */
  void again(AttemptKey key, String request, RunThread thread, byte[] buffer, RunThread.Step then)
      throws IOException {
    if (!folders.folder(key).toFile().isDirectory()) {
      then.run();
      return;
    }
    Integer rank = folders.rank(key).orElse(null);
    RunOutput output = open(key, source(key, rank, request), false);
    output.rest(
        thread,
        buffer,
        () -> {
          output.end(OptionalInt.of(0));
          output.closeWithLastChunk();
          then.run();
        });
  }

  /**
   * Waits for the broker to have all that an ended run has written.
   *
   * @param then done once it has, if that is not so yet; from any thread
   * @return whose output it is, if that is not so yet
   */
  Optional<String> awaitTaken(RunKey key, Runnable then) {
    Optional<Untaken> log = Optional.ofNullable(untaken.get(key));
    log.ifPresent(found -> found.book().onceTaken(then));
    return log.map(Untaken::request);
  }
}
