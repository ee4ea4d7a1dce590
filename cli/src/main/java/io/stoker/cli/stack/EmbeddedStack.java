package io.stoker.cli.stack;

import io.stoker.cli.local.DataFolder;
import io.stoker.cli.local.DataLock;
import io.stoker.cli.local.FreePorts;
import io.stoker.cli.local.Home;
import io.stoker.cli.local.Role;
import io.stoker.cli.local.RunningStack;
import io.stoker.cli.local.StackInfo;
import io.stoker.cli.local.StackSettings;
import io.stoker.cli.outcome.CliException;
import io.stoker.cli.stack.child.Child;
import io.stoker.cli.stack.child.Leftovers;
import io.stoker.cli.stack.child.Readiness;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.kafka.common.Uuid;

/**
 * A whole Stoker on this machine: Kafka, Postgres, Redis, dispatchers and agents, each a real child
 * process of this one, supervised. It keeps all that must last in its data folder; started there
 * again it goes on where it stopped. The children end when this process does, however it ends.
 */
public final class EmbeddedStack implements AutoCloseable {
  /** Longer than any child's own grace. */
  private static final Duration LEFTOVER_GRACE = Duration.ofSeconds(25);

  private final DataFolder data;
  private final DataLock lock;
  private final StackPlan plan;
  private final Children children;

  private EmbeddedStack(DataFolder data, DataLock lock, StackPlan plan, Children children) {
    this.data = data;
    this.lock = lock;
    this.plan = plan;
    this.children = children;
  }

  /** {@link #start(DataFolder, StackOptions, Consumer)} without messages. */
  public static EmbeddedStack start(DataFolder data, StackOptions options)
      throws IOException, InterruptedException {
    return start(data, options, message -> {});
  }

  /**
   * Starts a stack and returns once it serves.
   *
   * @param messages is told, in a line each, what happens to the children
   * @throws StackBusyException if one runs on the data folder already
   * @throws IOException if a part of it does not start; nothing of it runs then
   * @throws InterruptedException if interrupted; nothing of it runs then
   */
  public static EmbeddedStack start(
      DataFolder data, StackOptions options, Consumer<String> messages)
      throws IOException, InterruptedException {
    data.create();
    Optional<DataLock> lock = DataLock.tryTake(data);
    if (lock.isEmpty()) {
      throw new StackBusyException(data, RunningStack.find(data));
    }
    EmbeddedStack stack = null;
    try {
      RunningStack.lastWritten(data, messages)
          .ifPresent(old -> Leftovers.clear(old, LEFTOVER_GRACE));
      StackPlan plan = new StackPlan(options, settings(data, options), data);
      stack =
          new EmbeddedStack(data, lock.get(), plan, new Children(data, plan.addresses(), messages));
      stack.starter().start();
      return stack;
    } catch (Exception e) {
      if (stack == null) {
        lock.get().close();
      } else {
        stack.close();
      }
      throw asDeclared(e);
    }
  }

  public DataFolder data() {
    return data;
  }

  /** Addresses and live pids, as {@code stoker info --json} prints them. */
  public StackInfo info() {
    return StackInfo.of(data, children.snapshot());
  }

  /** All children, in the order of their start. */
  public List<Child> children() {
    return children.all();
  }

  /** The children of one kind, e.g. the dispatchers. */
  public List<Child> children(Role role) {
    return children.all().stream().filter(child -> child.spec().role() == role).toList();
  }

  /**
   * One child by name: {@code kafka}, {@code postgres}, {@code redis}, {@code dispatcher-1}, {@code
   * agent-host-1}, …
   *
   * @throws NoSuchElementException if the stack has none of that name
   */
  public Child child(String name) {
    return children.all().stream()
        .filter(child -> child.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new NoSuchElementException(
                    "no child %s, only %s"
                        .formatted(name, children.all().stream().map(Child::name).toList())));
  }

  /**
   * Waits until a child, just started again, serves.
   *
   * @throws IOException if it does not within {@code atMost}
   */
  public void awaitServing(Child child, Duration atMost) throws IOException, InterruptedException {
    Readiness.await(child, new Serving(plan).probe(child), atMost);
  }

  /** The port of {@code kafka}, {@code postgres}, {@code redis}, {@code dispatcher-1}, … */
  public int port(String name) {
    return plan.port(name);
  }

  /** Stops everything in order and gives the data folder free. */
  @Override
  public void close() throws IOException {
    children.stop();
    RunningStack.remove(data);
    lock.close();
  }

  private StackStarter starter() {
    return new StackStarter(Home.locate(), data, plan, children);
  }

  private static StackSettings settings(DataFolder data, StackOptions options) throws IOException {
    Optional<StackSettings> kept = StackSettings.read(data);
    StackSettings before =
        kept.orElseGet(() -> StackSettings.fresh(Uuid.randomUuid().toString(), options.secure()));
    if (options.secure() && before.kafkaSecret() == null) {
      throw CliException.usage(
          "the stack on %s was made without --secure, give another --data".formatted(data));
    }
    StackSettings settings =
        before.withPorts(
            FreePorts.onThisMachine().choose(before.ports(), StackPlan.portNames(options)));
    if (!kept.equals(Optional.of(settings))) {
      settings.write(data);
    }
    return settings;
  }

  private static IOException asDeclared(Exception e) throws InterruptedException {
    return switch (e) {
      case IOException io -> io;
      case InterruptedException interrupted -> throw interrupted;
      case RuntimeException unexpected -> throw unexpected;
      default -> new IOException("the stack did not start: " + e.getMessage(), e);
    };
  }
}
