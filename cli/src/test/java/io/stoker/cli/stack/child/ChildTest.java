package io.stoker.cli.stack.child;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.stoker.cli.local.Role;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChildTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir Path folder;

  private ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

  /** However slowly it ends, it is not killed. */
  private Duration grace = PATIENCE;

  private final BlockingQueue<String> said = new LinkedBlockingQueue<>();
  private Child child;

  @AfterEach
  void leaveNothing() {
    child.stop();
    timer.shutdownNow();
  }

  @Test
  void startsAgainWhenItDies() throws Exception {
    start("exec sleep 600");
    long first = child.pid().orElseThrow();

    child.kill();
    long second = child.awaitAnother(first, PATIENCE);

    assertThat(second).isNotEqualTo(first);
    assertThat(ProcessHandle.of(second)).get().matches(ProcessHandle::isAlive);
    assertThat(said.poll()).isEqualTo("ended with exit code 137; started again in 0.2 s");
    assertThat(child.deaths()).isEqualTo(1);
  }

  @Test
  void staysStoppedUntilItIsWantedAgain() throws Exception {
    start("exec sleep 600");
    long first = child.pid().orElseThrow();

    child.stop();
    assertThat(child.pid()).isEmpty();
    assertThat(ProcessHandle.of(first)).isEmpty();
    assertThat(said).isEmpty();

    child.start();
    assertThat(child.pid()).isPresent();
  }

  /** Else two of them would have the same address and the same folder. */
  @Test
  void whatIsWantedAgainWhileItLeavesFollowsThatAndDoesNotJoinIt() throws Exception {
    AtomicInteger starts = new AtomicInteger();
    String slow = "[ -e again ] && exec sleep 600; trap 'echo leaving; : >again' TERM; echo ready;";
    start(slow + " until [ -e go ]; do sleep 0.1; done", starts::incrementAndGet);
    long first = child.pid().orElseThrow();
    awaitInLog("ready");
    Thread stopping = Thread.ofVirtual().start(child::stop);
    awaitInLog("leaving");

    child.start();
    assertThat(child.pid()).hasValue(first);
    assertThat(starts).hasValue(1);

    Files.createFile(folder.resolve("go"));
    long second = child.awaitAnother(first, PATIENCE);
    stopping.join();
    assertThat(child.pid()).hasValue(second);
    assertThat(starts).hasValue(2);
    assertThat(child.deaths()).isZero();
    assertThat(said).isEmpty();
  }

  @Test
  void killsWhatDoesNotEndWithinItsGrace() throws Exception {
    grace = Duration.ofSeconds(1);
    start("trap '' TERM; echo ready; while :; do sleep 0.2; done");
    awaitInLog("ready");

    child.stop();

    assertThat(said.poll()).startsWith("did not end within");
    assertThat(child.pid()).isEmpty();
  }

  @Test
  void startsAgainAfterAStartThatFailed() throws Exception {
    AtomicInteger starts = new AtomicInteger();
    start(
        "exec sleep 600",
        () -> {
          if (starts.incrementAndGet() == 2) {
            throw new IllegalStateException("no luck");
          }
        });
    long first = child.pid().orElseThrow();

    child.kill();
    child.awaitAnother(first, PATIENCE);

    assertThat(nextSaid()).startsWith("ended with exit code 137");
    assertThat(nextSaid()).startsWith("could not be started: no luck; started again in 0.4 s");
  }

  @Test
  void backsOffFromWhatDiesAtOnce() throws Exception {
    start("echo no luck; exit 3");

    assertThat(nextSaid()).isEqualTo("ended with exit code 3; started again in 0.2 s");
    assertThat(nextSaid()).isEqualTo("ended with exit code 3; started again in 0.4 s");
  }

  @Test
  void waitingForItToServeEndsWhenItKeepsDying() {
    start("echo no luck; exit 3");

    assertThat(catchThrowable(() -> Readiness.await(child, ChildTest::refuse, PATIENCE)))
        .hasMessageContaining("child died 3 times before it served")
        .hasMessageContaining("no luck");
  }

  @Test
  void waitingForItToServeEndsWhenItDoesNotTakeItsSettings() {
    timer.shutdownNow();
    timer = new NoTime();
    start("echo of a former one; echo cannot start: no such policy; exit 78");

    assertThat(catchThrowable(() -> Readiness.await(child, ChildTest::refuse, PATIENCE)))
        .hasMessageContaining("child does not take its settings")
        .hasMessageContaining("cannot start: no such policy")
        .hasMessageNotContaining("former");
    assertThat(child.deaths()).isOne();
  }

  /** What is for later is never done: who dies stays dead. */
  private static final class NoTime extends ScheduledThreadPoolExecutor {
    NoTime() {
      super(1);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable step, long delay, TimeUnit unit) {
      return super.schedule(step, 1, TimeUnit.DAYS);
    }
  }

  @Test
  void whatIsSlowToServeSaysWhy() throws Exception {
    start("exec sleep 600");

    Readiness.await(child, this::refuseUntilSaid, PATIENCE, Duration.ofMillis(1));

    assertThat(said.peek()).matches("does not serve yet after \\d+ s: .*refused");
    Duration atMost = Duration.ofMillis(1);
    assertThat(catchThrowable(() -> Readiness.await(child, ChildTest::refuse, atMost)))
        .hasMessageContaining("child did not serve within");
  }

  private void refuseUntilSaid() throws ConnectException {
    if (said.isEmpty()) {
      refuse();
    }
  }

  private static void refuse() throws ConnectException {
    throw new ConnectException("refused");
  }

  private void start(String script) {
    start(script, ChildSpec.Preparation.NONE);
  }

  private void start(String script, ChildSpec.Preparation preparation) {
    child =
        new Child(
            new ChildSpec(
                "child",
                Role.AGENT,
                List.of("/bin/sh", "-c", script),
                Map.of(),
                folder,
                folder.resolve("child.log"),
                new ChildSpec.Stop("TERM", grace),
                preparation),
            timer,
            new Child.Watcher() {
              @Override
              public void changed(Child changed) {}

              @Override
              public void said(Child speaker, String what) {
                said.add(what);
              }
            });
    child.start();
  }

  private String nextSaid() throws InterruptedException {
    return said.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  private void awaitInLog(String text) throws Exception {
    Readiness.await(
        child,
        () -> {
          if (!Files.readString(folder.resolve("child.log")).contains(text)) {
            throw new IOException("not yet");
          }
        },
        PATIENCE);
  }
}
