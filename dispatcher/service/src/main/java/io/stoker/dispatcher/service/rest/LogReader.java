package io.stoker.dispatcher.service.rest;

import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.subscription.BackPressureStrategy;
import io.smallrye.mutiny.subscription.MultiEmitter;
import io.stoker.common.message.LogChunk;
import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.service.config.StokerConfig;
import io.stoker.dispatcher.service.postgres.ApiQueries;
import io.stoker.dispatcher.service.postgres.ApiQueries.Output;
import io.stoker.dispatcher.service.postgres.Database;
import io.stoker.kafka.KafkaAccess;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.KafkaException;
import org.jboss.logging.Logger;

/** Reads jobs' output from the logs topic, each reader on a virtual thread of its own. */
@ApplicationScoped
public class LogReader {
  private static final Logger LOG = Logger.getLogger(LogReader.class);
  private static final Duration POLL = Duration.ofMillis(200);

  /** Of pieces that a reader has asked for and not got, so many are counted. */
  private static final int MOST_ASKED = 1 << 20;

  /** How often a follower asks whether the job is over, at most. */
  private static final long LOOK_NANOS = 500_000_000;

  private final KafkaAccess kafka;
  private final Topics topics;
  private final Database database;
  private final OpenTails tails;
  private final LogOrigins origins;
  private final Duration stalled;

  LogReader(
      KafkaAccess kafka,
      Topics topics,
      Database database,
      OpenTails tails,
      LogOrigins origins,
      StokerConfig config) {
    this.kafka = kafka;
    this.topics = topics;
    this.database = database;
    this.tails = tails;
    this.origins = origins;
    stalled = config.http().stalledLogs();
  }

  /**
   * The output so far, or with {@code follow} until the job has ended.
   *
   * @param caller who reads it
   * @param rank of the one member of a gang whose output it is; empty for all
   */
  Multi<LogChunk> read(
      String caller, String request, Output output, boolean follow, OptionalInt rank) {
    if (output.job() == null && (!follow || output.over())) {
      return Multi.createFrom().empty();
    }
    Semaphore asked = new Semaphore(0);
    return Multi.createFrom()
        .<LogChunk>emitter(
            emitter ->
                Thread.ofVirtual()
                    .name("logs-" + request)
                    .start(() -> read(caller, emitter, asked, request, output, follow, rank)),
            BackPressureStrategy.BUFFER)
        .onRequest()
        .invoke(
            more -> {
              if (asked.availablePermits() < MOST_ASKED) {
                asked.release((int) Math.min(more, MOST_ASKED));
              }
            })
        .onCancellation()
        .invoke(() -> asked.release());
  }

  private void read(
      String caller,
      MultiEmitter<? super LogChunk> emitter,
      Semaphore asked,
      String request,
      Output first,
      boolean follow,
      OptionalInt rank) {
    try (OpenTails.Opened opened = tails.open(caller)) {
      Output output = first;
      while (output.job() == null && !output.over() && !emitter.isCancelled()) {
        Thread.sleep(Duration.ofNanos(LOOK_NANOS));
        output = look(request, output);
      }
      if (output.job() != null && !emitter.isCancelled()) {
        copy(emitter, asked, request, output, follow, new LogProgress(output.job(), rank));
      }
      emitter.complete();
    } catch (InterruptedException | KafkaException e) {
      LOG.warnf("the output of %s could not be read on: %s", request, kafka.trouble(e));
      emitter.fail(ApiException.unavailable("Kafka cannot be reached; try again"));
    } catch (ApiException refused) {
      emitter.fail(refused);
    } catch (RuntimeException e) {
      LOG.errorf(e, "the output of %s could not be read", request);
      emitter.fail(e);
    }
  }

  private void copy(
      MultiEmitter<? super LogChunk> emitter,
      Semaphore asked,
      String request,
      Output first,
      boolean follow,
      LogProgress progress)
      throws InterruptedException {
    try (LogTail tail = LogTail.open(kafka, topics.logs(), first.job(), first.arrival())) {
      LogOrigin origin = origins.of(first.job());
      long end = tail.end();
      Output output = first;
      long lookedAt = System.nanoTime();
      while (!emitter.isCancelled()) {
        int taken = 0;
        List<LogTail.Piece> pieces =
            tail.poll(POLL).stream().filter(piece -> progress.wants(piece.chunk())).toList();
        origin.learn(pieces);
        for (LogTail.Piece piece : pieces) {
          Optional<LogChunk> shown =
              origin.believes(piece)
                  ? Optional.of(piece.chunk()).filter(progress::take)
                  : origin.remark(piece.chunk());
          if (shown.isPresent()) {
            awaitReader(request, asked);
            emitter.emit(shown.get());
            taken++;
          }
        }
        if (!follow) {
          if (tail.position() >= end) {
            return;
          }
          continue;
        }
        long now = System.nanoTime();
        if (taken == 0 && !output.over() && now - lookedAt > LOOK_NANOS) {
          output = look(request, output);
          lookedAt = now;
        }
        if (output.over()
            && (output.silent() || progress.over(output.attempt(), output.members(), now))
            && tail.position() >= end) {
          return;
        }
      }
    }
  }

  /** Who takes nothing must not have everything kept for them, nor a connection for ever. */
  private void awaitReader(String request, Semaphore asked) throws InterruptedException {
    if (!asked.tryAcquire(stalled.toNanos(), TimeUnit.NANOSECONDS)) {
      throw ApiException.unavailable(
          "none of the output of %s was taken for %d s".formatted(request, stalled.toSeconds()));
    }
  }

  /** Where the job stands now; as before while the database is away. */
  private Output look(String request, Output before) {
    try {
      return database
          .readAside(session -> ApiQueries.output(session, request))
          .await()
          .atMost(Duration.ofSeconds(5))
          .orElse(before);
    } catch (RuntimeException e) {
      LOG.debugf("still following %s: %s", request, e.getMessage());
      return before;
    }
  }
}
