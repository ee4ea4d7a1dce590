package io.stoker.agent.runner;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.agent.report.LogSink;
import io.stoker.agent.secret.Masks;
import io.stoker.common.message.LogChunk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Output as it is cut and sent, by one agent after the other. */
class JobLogTest {
  @TempDir Path folder;

  /** What has come by, the newest last; and what is to be said of each once the broker has it. */
  private final List<LogChunk> sent = new ArrayList<>();

  private final List<Runnable> unacknowledged = new ArrayList<>();
  private long cap = 10_000_000;
  private OutputFile stdout;
  private OutputFile stderr;
  private JobLog log;

  @BeforeEach
  void begin() throws IOException {
    Files.createFile(folder.resolve("stdout"));
    Files.createFile(folder.resolve("stderr"));
    startAgent();
  }

  private void startAgent() {
    unacknowledged.clear();
    JobLog fresh =
        new JobLog(
            new LogChunk.Source("job", 1, 1, "node-a", "request"),
            cap,
            new LogSink() {
              @Override
              public void send(LogChunk chunk) {
                sent.add(chunk);
              }

              @Override
              public void send(LogChunk chunk, Runnable taken) {
                sent.add(chunk);
                unacknowledged.add(taken);
              }
            },
            () -> 7,
            LogCursor.open(folder));
    log = fresh;
    stdout = new OutputFile(folder.resolve("stdout"), Masks.NONE, fresh::stdout);
    stderr = new OutputFile(folder.resolve("stderr"), Masks.NONE, fresh::stderr);
    fresh.again(folder, Masks.NONE);
  }

  private void acknowledge(int chunks) {
    List<Runnable> first = unacknowledged.subList(0, chunks);
    first.forEach(Runnable::run);
    first.clear();
  }

  private void write(String stream, String text) throws IOException {
    Files.writeString(folder.resolve(stream), text, StandardOpenOption.APPEND);
  }

  private void look() throws IOException {
    read();
    log.flush();
  }

  private void read() throws IOException {
    byte[] buffer = new byte[1000];
    stdout.look(buffer, Long.MAX_VALUE / 2, () -> true);
    stderr.look(buffer, Long.MAX_VALUE / 2, () -> true);
  }

  private void end() throws IOException {
    read();
    log.end();
  }

  private static String said(LogChunk chunk) {
    return chunk.n()
        + " "
        + chunk.stream()
        + " "
        + chunk.text().strip()
        + (chunk.last() ? " ." : "");
  }

  private List<String> saidFrom(int chunk) {
    return sent.subList(chunk, sent.size()).stream().map(JobLogTest::said).toList();
  }

  @Test
  void anAgentWithALowerCapSendsNoMoreAndSaysSo() throws Exception {
    write("stdout", "one two\n");
    look();
    cap = 5;
    startAgent();
    write("stdout", "three\n");
    write("stderr", "four\n");
    end();
    assertThat(saidFrom(2)).containsExactly("1 stdout  .");
    assertThat(sent).last().matches(LogChunk::truncated);
  }

  @Test
  void theNextAgentGoesOnWithTheNextNumberBehindTheLastByte() throws Exception {
    write("stdout", "one\n");
    write("stderr", "two\n");
    look();
    acknowledge(2);
    log.flush();
    write("stdout", "three\nfo");
    startAgent();
    assertThat(saidFrom(2)).isEmpty();
    write("stdout", "ur\n");
    end();
    assertThat(saidFrom(0))
        .containsExactly("0 stdout one", "1 stderr two", "2 stdout three\nfour .");
  }

  @Test
  void whatTheBrokerMayNotHaveComesAgainJustAsItWas() throws Exception {
    write("stdout", "one\n");
    look();
    write("stderr", "two\n");
    look();
    write("stdout", "three\n");
    look();
    acknowledge(1);
    log.flush();
    write("stdout", "more\n");
    startAgent();
    assertThat(saidFrom(3)).containsExactly("1 stderr two", "2 stdout three");
    acknowledge(2);
    look();
    assertThat(saidFrom(5)).containsExactly("3 stdout more");
    startAgent();
    assertThat(saidFrom(6)).containsExactly("3 stdout more");
  }

  @Test
  void theEndIsCutTheSameByWhoeverFindsIt() throws Exception {
    write("stdout", "one\n");
    look();
    write("stdout", "x".repeat(150_000));
    write("stderr", "two");
    end();
    List<LogChunk> first = List.copyOf(sent);
    sent.clear();
    startAgent();
    end();
    assertThat(sent).isEqualTo(first);
    assertThat(first.getLast().last()).isTrue();
  }

  @Test
  void theCapIsOverAllAgents() throws Exception {
    cap = 10;
    startAgent();
    write("stdout", "12345\n");
    look();
    startAgent();
    write("stdout", "6789 and more\n");
    end();
    assertThat(sent.stream().filter(chunk -> chunk.n() > 0).map(LogChunk::text))
        .containsExactly("6789");
    assertThat(sent.getLast().truncated()).isTrue();
  }

  @Test
  void aCutThatWasNotWrittenWholeWasNotSent() throws Exception {
    write("stdout", "one\n");
    look();
    Files.writeString(folder.resolve("chunks"), "o 12", StandardOpenOption.APPEND);
    sent.clear();
    startAgent();
    write("stdout", "two\n");
    look();
    acknowledge(2);
    log.flush();
    startAgent();
    assertThat(saidFrom(0)).containsExactly("0 stdout one", "1 stdout two");
  }

  @Test
  void theBookStaysSmall() throws Exception {
    for (int i = 0; i < 30_000; i++) {
      write("stdout", i + "\n");
      look();
      acknowledge(1);
    }
    assertThat(Files.size(folder.resolve("chunks"))).isLessThan(70_000);
    startAgent();
    write("stdout", "last\n");
    look();
    assertThat(said(sent.getLast())).isEqualTo("30000 stdout last");
  }

  /** Whoever reads by number, the first of each, has all of it, whenever agents die. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void nothingIsLostOrToldInTwoWays(long seed) throws Exception {
    Random random = new Random(seed);
    Map<String, StringBuilder> written =
        Map.of("stdout", new StringBuilder(), "stderr", new StringBuilder());
    for (int step = 0; step < 300; step++) {
      switch (random.nextInt(7)) {
        case 0, 1, 2 -> {
          String stream = random.nextInt(3) > 0 ? "stdout" : "stderr";
          String text =
              "größe € ".repeat(random.nextInt(random.nextInt(20) == 0 ? 9_000 : 5))
                  + (random.nextBoolean() ? "\n" : "");
          write(stream, text);
          written.get(stream).append(text);
        }
        case 3, 4 -> look();
        case 5 -> acknowledge(random.nextInt(unacknowledged.size() + 1));
        default -> {
          if (random.nextInt(3) == 0) {
            startAgent();
          }
        }
      }
    }
    end();
    startAgent();
    end();
    Map<Integer, LogChunk> byNumber = new HashMap<>();
    Map<String, StringBuilder> read =
        Map.of("stdout", new StringBuilder(), "stderr", new StringBuilder());
    int next = 0;
    for (LogChunk chunk : sent) {
      LogChunk before = byNumber.putIfAbsent(chunk.n(), chunk);
      if (before == null) {
        assertThat(chunk.n()).isEqualTo(next++);
        read.get(chunk.stream()).append(chunk.text());
      } else {
        assertThat(chunk).isEqualTo(before);
      }
    }
    for (String stream : List.of("stdout", "stderr")) {
      assertThat(read.get(stream).toString().getBytes(StandardCharsets.UTF_8))
          .isEqualTo(written.get(stream).toString().getBytes(StandardCharsets.UTF_8));
    }
  }
}
