package io.stoker.agent.pool;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.IntNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A pool whose workers are played by the test: it carries effects out and keeps what they were. */
final class PoolHarness {
  final Pool pool;
  final List<PoolEffect> done = new ArrayList<>();

  /** What each process runs, by the number that it was given under. */
  final Map<Integer, Map<Long, Task>> running = new LinkedHashMap<>();

  final Map<Task, TaskEnd> ends = new LinkedHashMap<>();
  final List<Task> undelivered = new ArrayList<>();
  final List<Integer> killed = new ArrayList<>();
  final List<Integer> told = new ArrayList<>();
  final List<Integer> started = new ArrayList<>();
  private final Map<Task, Integer> leaves = new HashMap<>();
  long now = 1_000;

  /** What the next agent is to know. */
  PoolEffect.Remember remembered;

  /** Why no worker can be had, if so. */
  Optional<String> noDevices = Optional.empty();

  PoolHarness(PoolSettings settings) {
    pool = new Pool(settings, PoolMemory.NONE, 0);
  }

  /** Of a pool with so many workers, and standard rules. */
  static PoolSettings settings(int min, int max) {
    return PoolSettings.of("p", List.of("worker"), min, max);
  }

  /** Its workers, all of them up. */
  static PoolHarness up(PoolSettings settings) {
    PoolHarness harness = new PoolHarness(settings);
    harness.tick();
    harness.readyAll();
    return harness;
  }

  static Task task(int number) {
    return new Task("t" + number, 1);
  }

  void tick() {
    pool.tick(now);
    carry();
  }

  void after(long ms) {
    now += ms;
    tick();
  }

  boolean offer(int number) {
    boolean taken = pool.offer(task(number), now);
    offered += taken ? 1 : 0;
    carry();
    return taken;
  }

  void ready(int process) {
    ready(process, 0);
  }

  void ready(int process, int ahead) {
    pool.ready(process, ahead, now);
    carry();
  }

  void readyAll() {
    List.copyOf(started).forEach(this::ready);
  }

  /** The worker that runs a task answers. */
  void answer(int number, Answer answer) {
    int process = runs(number);
    long n = number(process, number);
    boolean over = !(answer instanceof Answer.Begun);
    if (over && running.get(process).size() == 1) {
      running.remove(process);
    } else if (over) {
      running.get(process).remove(n);
    }
    pool.answered(process, n, answer, now);
    carry();
  }

  private long number(int process, int number) {
    return running.get(process).entrySet().stream()
        .filter(one -> one.getValue().equals(task(number)))
        .findFirst()
        .orElseThrow()
        .getKey();
  }

  void done(int number) {
    answer(number, new Answer.Done(Optional.of(IntNode.valueOf(number))));
  }

  void gone(int process) {
    running.remove(process);
    pool.gone(process, "killed by signal 9", now);
    carry();
  }

  void deliver() {
    List<Task> all = List.copyOf(undelivered);
    undelivered.clear();
    pool.delivered(all, now);
    carry();
  }

  /** All processes that were told to end, or are being killed, are gone. */
  void buried() {
    while (!told.isEmpty() || !killed.isEmpty()) {
      List<Integer> dead = new ArrayList<>(told);
      dead.addAll(killed);
      told.clear();
      killed.clear();
      dead.forEach(this::gone);
    }
  }

  /** The process that runs a task. */
  int runs(int number) {
    return running.entrySet().stream()
        .filter(one -> one.getValue().containsValue(task(number)))
        .map(Map.Entry::getKey)
        .findFirst()
        .orElseThrow(() -> new AssertionError("nobody runs " + number + ": " + running));
  }

  boolean isRunning(int number) {
    return running.values().stream().anyMatch(tasks -> tasks.containsValue(task(number)));
  }

  PoolReport report() {
    return pool.report();
  }

  void carry() {
    for (List<PoolEffect> all = pool.effects(); !all.isEmpty(); all = pool.effects()) {
      all.forEach(this::carry);
    }
    PoolReport report = pool.report();
    assertThat(report.queued()).isEqualTo(offered);
    assertThat(report.processed()).isEqualTo(ends.size());
    assertThat(report.delivered()).isEqualTo(ends.size() - undelivered.size());
    assertThat(report.idle()).isEqualTo(offered == ends.size());
  }

  private int offered;

  private void carry(PoolEffect effect) {
    done.add(effect);
    switch (effect) {
      case PoolEffect.Start start -> {
        if (noDevices.isPresent()) {
          pool.refused(start.process(), noDevices.get(), now);
        } else {
          assertThat(started).doesNotContain(start.process());
          started.add(start.process());
          pool.granted(start.process(), now);
        }
      }
      case PoolEffect.Give give -> {
        assertThat(running.containsKey(give.process())).isEqualTo(give.ahead());
        running
            .computeIfAbsent(give.process(), process -> new LinkedHashMap<>())
            .put(give.n(), give.task());
      }
      case PoolEffect.Begun begun -> {}
      case PoolEffect.Withdraw withdraw ->
          assertThat(running.get(withdraw.process())).containsKey(withdraw.n());
      case PoolEffect.Back back -> assertThat(ends).doesNotContainKey(back.task());
      case PoolEffect.Stop stop -> told.add(stop.process());
      case PoolEffect.Kill kill -> {
        killed.add(kill.process());
        running.remove(kill.process());
      }
      case PoolEffect.Left left -> {
        assertThat(leaves.merge(left.task(), 1, Integer::sum)).isEqualTo(1);
        ends.put(left.task(), left.end());
        undelivered.add(left.task());
      }
      case PoolEffect.CapacityChanged changed -> {}
      case PoolEffect.Remember it -> remembered = it;
      case PoolEffect.Note note -> {}
    }
  }
}
