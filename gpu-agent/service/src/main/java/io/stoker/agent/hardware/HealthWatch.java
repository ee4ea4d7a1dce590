package io.stoker.agent.hardware;

import io.stoker.agent.attempt.Input;
import io.stoker.agent.device.Condition;
import io.stoker.agent.device.Device;
import io.stoker.agent.device.HealthBook;
import io.stoker.agent.device.Inventory;
import io.stoker.agent.gpu.DeviceEvent;
import io.stoker.agent.gpu.NvmlApi;
import io.stoker.agent.gpu.NvmlEvents;
import io.stoker.agent.gpu.NvmlException;
import io.stoker.common.life.Vital;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jboss.logging.Logger;

/**
 * Watches how the devices are: by the driver's events, and by asking each of them regularly. Each
 * question has a thread of its own and a time-out, for a device that hangs holds whoever asks it.
 */
public final class HealthWatch implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(HealthWatch.class);
  private static final Duration WAIT = Duration.ofSeconds(2);
  private static final long JUDGE_MS = 1_000;
  private static final long AGAIN_MS = 1_000;

  private final HostDevices devices;
  private final HealthBook book;
  private final Duration limit;
  private final Consumer<Input> inputs;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final ScheduledExecutorService clock = Vital.clock("device-health", 2);
  private final ExecutorService questions = Executors.newCachedThreadPool(HealthWatch::thread);
  private final Map<String, Future<?>> asked = new HashMap<>();
  private final Thread events;
  private Map<String, Condition> told = Map.of();

  /**
   * Begins to watch.
   *
   * @param every between two questions to a device
   * @param limit how long a device may take to answer
   * @param inputs told of every change
   */
  public HealthWatch(
      HostDevices devices,
      HealthBook book,
      Duration every,
      Duration limit,
      Consumer<Input> inputs) {
    this.devices = devices;
    this.book = book;
    this.limit = limit;
    this.inputs = inputs;
    clock.scheduleWithFixedDelay(
        () -> attempt(this::ask), 0, every.toMillis(), TimeUnit.MILLISECONDS);
    clock.scheduleWithFixedDelay(
        () -> attempt(this::judge), JUDGE_MS, JUDGE_MS, TimeUnit.MILLISECONDS);
    events = Vital.thread("device-events", this::follow);
    events.start();
  }

  /** A step that fails is not the last: an executor would never take it again. */
  private static void attempt(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException e) {
      LOG.warn("the devices could not be asked how they are", e);
    }
  }

  private static Thread thread(Runnable task) {
    return Thread.ofPlatform().daemon().name("device-health").unstarted(task);
  }

  private static long now() {
    return System.nanoTime() / 1_000_000;
  }

  private synchronized void judge() {
    Inventory inventory = devices.inventory();
    Map<String, Condition> bad =
        book.conditions(inventory.devices().stream().map(Device::uuid).toList(), now());
    if (!bad.equals(told)) {
      told = bad;
      inputs.accept(new Input.Judged(bad));
    }
  }

  // --- events

  private void follow() {
    while (closed.getCount() > 0) {
      try {
        followOnce();
      } catch (NvmlException e) {
        LOG.debugf("events end: %s", e.getMessage());
        pause();
      } catch (IllegalStateException released) {
        pause();
      } catch (RuntimeException e) {
        LOG.warn("the devices' events cannot be followed, trying again", e);
        pause();
      }
    }
  }

  private void followOnce() {
    Map<String, List<String>> watched = devices.byGpu();
    Optional<NvmlEvents> set = watch(watched);
    if (set.isEmpty()) {
      pause();
      return;
    }
    try (NvmlEvents open = set.get()) {
      open.unwatched().forEach((gpu, why) -> LOG.warnf("%s tells no troubles: %s", gpu, why));
      while (closed.getCount() > 0 && watched.equals(devices.byGpu())) {
        open.await(WAIT).ifPresent(event -> happened(event, watched));
      }
    }
  }

  private Optional<NvmlEvents> watch(Map<String, List<String>> watched) {
    try {
      return watched.isEmpty()
          ? Optional.empty()
          : devices.nvml().flatMap(nvml -> nvml.watch(watched.keySet()));
    } catch (NvmlException | IllegalStateException e) {
      return Optional.empty();
    }
  }

  /** An event of nobody may be anybody's. */
  private void happened(DeviceEvent event, Map<String, List<String>> watched) {
    List<String> touched =
        event
            .uuid()
            .map(gpu -> watched.getOrDefault(gpu, List.of()))
            .orElseGet(() -> watched.values().stream().flatMap(List::stream).toList());
    LOG.warnf("%s %d on %s", event.kind(), event.data(), touched);
    book.event(event, touched, now());
    judge();
  }

  private void pause() {
    try {
      closed.await(AGAIN_MS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      closed.countDown();
    }
  }

  // --- questions

  private void ask() {
    attempt(() -> devices.nvml().ifPresent(this::askAll));
    judge();
  }

  private void askAll(NvmlApi nvml) {
    List<String> uuids = devices.inventory().devices().stream().map(Device::uuid).toList();
    for (String uuid : uuids) {
      asked.computeIfAbsent(uuid, one -> questions.submit(() -> answer(nvml, one)));
    }
    long until = System.nanoTime() + limit.toNanos();
    for (String uuid : uuids) {
      Future<?> answer = asked.get(uuid);
      if (awaited(answer, until - System.nanoTime()) || answer.isDone()) {
        asked.remove(uuid);
      } else {
        // The question stays open: a device that hangs is not asked again before it answers.
        book.silent(uuid, "it has not answered within " + limit.toMillis() + " ms", false, now());
      }
    }
  }

  private void answer(NvmlApi nvml, String uuid) {
    try {
      book.answered(uuid, nvml.health(uuid), now());
    } catch (NvmlException e) {
      book.silent(uuid, e.getMessage(), e.isGpuLost(), now());
    } catch (IllegalStateException released) {
      LOG.debugf("NVML was released while %s was asked", uuid);
    }
  }

  private static boolean awaited(Future<?> answer, long nanos) {
    try {
      answer.get(Math.max(0, nanos), TimeUnit.NANOSECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      LOG.warn("a device could not be asked how it is, and is asked again", e.getCause());
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  /** Ends after the wait that is under way, so that NVML can be released. */
  @Override
  public void close() {
    closed.countDown();
    clock.shutdownNow();
    questions.shutdownNow();
    try {
      events.join(WAIT.plusSeconds(1));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
