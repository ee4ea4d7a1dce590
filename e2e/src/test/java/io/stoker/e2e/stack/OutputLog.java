package io.stoker.e2e.stack;

import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.LogChunk;
import io.stoker.kafka.KafkaAccess;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** What jobs have written, as a reader of the logs topic puts it together. */
public final class OutputLog implements AutoCloseable {
  private final TopicLog<LogChunk> log;

  OutputLog(KafkaAccess access, String topic) {
    log = new TopicLog<>(access, topic, OutputLog::read);
  }

  private static LogChunk read(ConsumerRecord<String, byte[]> record) {
    try {
      return Json.read(record.value(), LogChunk.class);
    } catch (MalformedJson e) {
      throw new AssertionError("no chunk on the logs topic: " + record, e);
    }
  }

  /** All that an attempt has written on its two streams, once that is all. */
  public String await(String job, int attempt) {
    return log.await(
        StatusLog.PATIENCE,
        chunks -> {
          Collection<LogChunk> of = of(chunks, job, attempt);
          return of.stream().anyMatch(LogChunk::last) ? text(of) : null;
        },
        () ->
            "attempt %d of job %s has not written its last, only '%s'"
                .formatted(attempt, job, text(of(log.all(), job, attempt))));
  }

  /** Waits until each of so many members of a gang has written its last. */
  public void awaitMembers(String job, int attempt, int members) {
    log.await(
        StatusLog.PATIENCE,
        chunks -> {
          long over =
              IntStream.range(0, members)
                  .filter(rank -> of(chunks, job, attempt, rank).stream().anyMatch(LogChunk::last))
                  .count();
          return over == members ? over : null;
        },
        () -> "not all members of job %s have written their last: %s".formatted(job, log.all()));
  }

  private static Collection<LogChunk> of(List<LogChunk> chunks, String job, int attempt) {
    return of(chunks, job, attempt, null);
  }

  /** In order; one that came twice is there once. */
  private static Collection<LogChunk> of(
      List<LogChunk> chunks, String job, int attempt, Integer rank) {
    TreeMap<Integer, LogChunk> byNumber = new TreeMap<>();
    chunks.stream()
        .filter(chunk -> chunk.job().equals(job) && chunk.attempt() == attempt)
        .filter(chunk -> Objects.equals(chunk.rank(), rank))
        .forEach(chunk -> byNumber.put(chunk.n(), chunk));
    return byNumber.values();
  }

  private static String text(Collection<LogChunk> chunks) {
    return chunks.stream().map(LogChunk::text).collect(Collectors.joining());
  }

  @Override
  public void close() {
    log.close();
  }
}
