package io.stoker.cli.stack;

import io.stoker.cli.local.Addresses;
import io.stoker.cli.local.DataFolder;
import io.stoker.cli.local.ProcessRef;
import io.stoker.cli.local.Role;
import io.stoker.cli.local.RunningStack;
import io.stoker.cli.local.RunningStack.ChildRef;
import io.stoker.cli.stack.child.Child;
import io.stoker.cli.stack.child.ChildSpec;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * All children of a stack. Whatever happens to one is written to the data folder's {@link
 * RunningStack}, so that other commands know the live processes; one thread alone writes it.
 */
final class Children {
  /** Users of a service end before the service; those of one set end side by side. */
  private static final List<Set<Role>> STOP_ORDER =
      List.of(
          Set.of(Role.AGENT),
          Set.of(Role.DISPATCHER),
          Set.of(Role.KAFKA, Role.POSTGRES, Role.REDIS));

  private final DataFolder data;
  private final Addresses addresses;
  private final Consumer<String> messages;
  private final ProcessRef up = ProcessRef.of(ProcessHandle.current());
  private final ScheduledExecutorService timer = newTimer();
  private final List<Child> all = new CopyOnWriteArrayList<>();
  private volatile boolean ready;

  Children(DataFolder data, Addresses addresses, Consumer<String> messages) {
    this.data = data;
    this.addresses = addresses;
    this.messages = messages;
  }

  Child start(ChildSpec spec) {
    Child child = new Child(spec, timer, new Reporter());
    all.add(child);
    child.start();
    return child;
  }

  List<Child> all() {
    return List.copyOf(all);
  }

  /** From now on the stack is told to be ready. */
  void ready() throws IOException {
    ready = true;
    write();
  }

  /** What other commands see. */
  synchronized RunningStack snapshot() {
    List<ChildRef> live =
        all.stream()
            .flatMap(
                child ->
                    child.process().stream()
                        .map(ref -> new ChildRef(child.name(), child.spec().role(), ref)))
            .toList();
    return new RunningStack(up, ready, addresses, live);
  }

  synchronized void write() throws IOException {
    snapshot().write(data);
  }

  /** Stops all, users first. */
  void stop() {
    for (Set<Role> roles : STOP_ORDER) {
      List<Thread> stops =
          all.stream()
              .filter(child -> roles.contains(child.spec().role()))
              .map(child -> Thread.ofPlatform().name("stop-" + child.name()).start(child::stop))
              .toList();
      stops.forEach(Children::join);
    }
    stopTimer();
  }

  /** Once this returns, nothing writes to the data folder any more: it may be removed. */
  private void stopTimer() {
    timer.shutdownNow();
    boolean interrupted = false;
    boolean ended = false;
    while (!ended) {
      try {
        ended = timer.awaitTermination(1, TimeUnit.MINUTES);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static void join(Thread thread) {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        // Stopping is bounded by the children's grace; a half-stopped stack helps nobody.
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static ScheduledExecutorService newTimer() {
    ScheduledThreadPoolExecutor timer =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().name("stack-timer").daemon().factory());
    // A child whose end is noticed after the stack stopped needs nothing more.
    timer.setRejectedExecutionHandler(new ScheduledThreadPoolExecutor.DiscardPolicy());
    return timer;
  }

  private final class Reporter implements Child.Watcher {
    @Override
    public void changed(Child child) {
      // Not on this thread: it holds one child's lock, and writing asks all children.
      timer.execute(this::writeOrSay);
    }

    @Override
    public void said(Child child, String what) {
      messages.accept(child.name() + " " + what);
    }

    private void writeOrSay() {
      try {
        write();
      } catch (IOException e) {
        messages.accept("cannot write %s: %s".formatted(data.runningFile(), e.getMessage()));
      }
    }
  }
}
