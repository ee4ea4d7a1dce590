package io.stoker.cli.bench;

import io.stoker.cli.kafka.TopicTail;
import io.stoker.cli.local.StackInfo;
import io.stoker.cli.outcome.CliException;
import io.stoker.cli.terminal.ProgressLine;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Posts jobs of the pool at a rate that stays the same, and says of each tenth of the time how it
 * went: whether a stack that is never at rest stays as fast, and as small, as it was.
 */
final class SteadyBench {
  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration STALLED = Duration.ofSeconds(60);
  private static final int WINDOWS = 10;

  /** Before this one a transaction is begun that is held open, if one is wanted. */
  private static final int HOLD = 2;

  /** And before this one it ends. */
  private static final int LET_GO = 8;

  private static final long MIB = 1 << 20;

  private final Target target;
  private final int warmUp;
  private final int perSecond;
  private final boolean hold;
  private final ProgressLine progress;
  private final Requests requests = Requests.onPool("steady");

  /** When those were posted that have not ended, by id, ns. */
  private final Map<String, Long> posted = new ConcurrentHashMap<>();

  private final List<SteadyFigures.Window> windows = new ArrayList<>();
  private List<Double> millis = new ArrayList<>();

  /**
   * @param warmUp jobs before those that are measured, 0 for none
   * @param hold whether a transaction is held open for six tenths of the time
   */
  SteadyBench(Target target, int warmUp, int perSecond, boolean hold, ProgressLine progress) {
    this.target = target;
    this.warmUp = warmUp;
    this.perSecond = perSecond;
    this.hold = hold;
    this.progress = progress;
  }

  BenchReport run(int jobs) {
    Optional<String> address = target.local().map(StackInfo::postgres);
    if (hold && address.isEmpty()) {
      throw CliException.usage(
          "--hold-transaction is for a stack of this machine, whose database is known");
    }
    if (warmUp > 0) {
      new Load(target, requests, progress).post("steady, warming up", warmUp, Load::isTerminal);
    }
    Optional<StackDatabase> database = address.map(StackDatabase::open);
    try {
      return run(jobs, database);
    } finally {
      database.ifPresent(StackDatabase::close);
    }
  }

  private BenchReport run(int jobs, Optional<StackDatabase> database) {
    long length = jobs * 1_000_000_000L / perSecond / WINDOWS;
    try (TopicTail tail = TopicTail.open(target.kafka(), List.of(target.topics().status()))) {
      long start = System.nanoTime();
      try (SteadyLoad load =
          new SteadyLoad(target, requests, perSecond, id -> posted.put(id, System.nanoTime()))) {
        for (int i = 0; i < WINDOWS; i++) {
          change(i, database);
          follow(tail, load, start + (i + 1) * length);
          windows.add(window(length / 1e9, hold && i >= HOLD && i < LET_GO, database));
        }
        load.stop();
      }
      long last = System.nanoTime();
      awaitOthers(tail);
      BenchReport report = new BenchReport("steady", jobs, Rounded.secondsSince(start));
      report.steady =
          new SteadyFigures(perSecond, Rounded.secondsSince(last), List.copyOf(windows));
      return report;
    }
  }

  private void change(int window, Optional<StackDatabase> database) {
    if (hold && window == HOLD) {
      database.ifPresent(StackDatabase::hold);
    } else if (window == LET_GO) {
      database.ifPresent(StackDatabase::letGo);
    }
  }

  private void follow(TopicTail tail, SteadyLoad load, long until) {
    while (System.nanoTime() < until) {
      load.check();
      read(tail);
      progress.update(
          "steady: part %d of %d, %,d under way"
              .formatted(windows.size() + 1, WINDOWS, posted.size()));
    }
  }

  private void awaitOthers(TopicTail tail) {
    long lastNews = System.nanoTime();
    while (!posted.isEmpty()) {
      int before = posted.size();
      read(tail);
      if (posted.size() < before) {
        lastNews = System.nanoTime();
      } else if (System.nanoTime() - lastNews > STALLED.toNanos()) {
        throw CliException.failed(
            "steady: no news for %d s with %,d jobs under way: are there hosts that may take them?"
                .formatted(STALLED.toSeconds(), posted.size()));
      }
      progress.update("steady: %,d still under way".formatted(posted.size()));
    }
  }

  private void read(TopicTail tail) {
    for (ConsumerRecord<byte[], byte[]> record : tail.poll(POLL)) {
      String id = new String(record.key(), StandardCharsets.UTF_8);
      Long since = posted.get(id);
      if (since != null && Load.isTerminal(record)) {
        posted.remove(id);
        millis.add((System.nanoTime() - since) / 1e6);
      }
    }
    if (Thread.currentThread().isInterrupted()) {
      throw CliException.interrupted();
    }
  }

  private SteadyFigures.Window window(
      double seconds, boolean held, Optional<StackDatabase> database) {
    List<Double> ended = millis;
    millis = new ArrayList<>();
    Optional<StackDatabase.Held> inside = database.map(StackDatabase::held);
    return new SteadyFigures.Window(
        Rounded.tenths(ended.size() / seconds),
        ended.isEmpty() ? null : Percentiles.of(ended),
        inside.map(all -> all.bytes() / MIB).orElse(null),
        inside.map(StackDatabase.Held::dead).orElse(null),
        held);
  }
}
