package io.stoker.e2e.spine;

import static org.awaitility.Awaitility.await;

import io.stoker.cli.rest.Fleet;
import io.stoker.cli.rest.RestClient;
import io.stoker.cli.stack.StackOptions;
import io.stoker.e2e.stack.StatusLog;
import io.stoker.e2e.stack.StokerStack;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives tests one stack of three hosts of two CPU slots each, on which one class after the other
 * has all of them to itself: each takes the lock {@link #LOCK}. Its queues {@code heavy} and {@code
 * light} have the weights 3 and 1, {@code narrow} runs one job and lets two wait, in {@code hasty}
 * a moment of waiting makes up for much priority, {@code own} is reached by its own topic alone,
 * {@code giver} and {@code taker} are alike; jobs may make room for others at once; and what takes
 * long elsewhere is soon here. Each host has its name as label {@code box}.
 */
final class ThreeHosts implements ParameterResolver, AfterEachCallback {
  static final String LOCK = "three hosts";

  private static final int HOSTS = 3;

  private static final Namespace NAMESPACE = Namespace.create(ThreeHosts.class);

  private static final Map<String, String> DISPATCHER =
      Map.ofEntries(
          // Longer than an agent or a dispatcher takes to start again on a busy machine.
          Map.entry("STOKER_LEASE_DURATION", "15s"),
          Map.entry("STOKER_LEASE_MARGIN", "3s"),
          Map.entry("STOKER_LEASE_HEARTBEAT", "1s"),
          Map.entry("STOKER_PREEMPTION_ENABLED", "true"),
          Map.entry("STOKER_PREEMPTION_MIN_RUN_TIME", "0s"),
          Map.entry("STOKER_PLACEMENT_RESERVE_AFTER", "5s"),
          Map.entry("STOKER_PLACEMENT_SAY_NEVER_AFTER", "2s"),
          Map.entry("STOKER_SUSPECT_FAILURES", "3"),
          Map.entry("STOKER_SUSPECT_HOLD", "3s"),
          Map.entry("STOKER_SUSPECT_LOSSES", "2"),
          Map.entry("STOKER_SUSPECT_WINDOW", "3m"),
          Map.entry("STOKER_QUEUES_HEAVY_WEIGHT", "3"),
          Map.entry("STOKER_QUEUES_HEAVY_OPEN", "true"),
          Map.entry("STOKER_QUEUES_LIGHT_WEIGHT", "1"),
          Map.entry("STOKER_QUEUES_LIGHT_OPEN", "true"),
          Map.entry("STOKER_QUEUES_NARROW_MAX_RUNNING", "1"),
          Map.entry("STOKER_QUEUES_NARROW_MAX_QUEUED", "2"),
          Map.entry("STOKER_QUEUES_NARROW_OPEN", "true"),
          Map.entry("STOKER_QUEUES_SINGLE_MAX_RUNNING", "1"),
          Map.entry("STOKER_QUEUES_SINGLE_OPEN", "true"),
          Map.entry("STOKER_QUEUES_HASTY_AGING", "10ms"),
          Map.entry("STOKER_QUEUES_HASTY_OPEN", "true"),
          Map.entry("STOKER_QUEUES_OWN_WEIGHT", "1"),
          Map.entry("STOKER_QUEUES_GIVER_OPEN", "true"),
          Map.entry("STOKER_QUEUES_TAKER_OPEN", "true"));

  private static final Map<String, String> AGENTS =
      Map.of(
          "STOKER_AGENT_NVML_LIBRARY", "libabsent.so.1",
          // Longer than a busy machine may stand still while a test looks at who is told to end.
          "STOKER_AGENT_GRACE", "60s",
          "STOKER_AGENT_CPU_SLOTS", "2",
          "STOKER_AGENT_LABELS_ZONE", "lab",
          "STOKER_AGENT_LABELS_BOX", "${stoker.agent.host}");

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == StokerStack.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return context
        .getRoot()
        .getStore(NAMESPACE)
        .getOrComputeIfAbsent(StokerStack.class, type -> start(), StokerStack.class);
  }

  /** What a failed test has left on the hosts, or holds against them, would fail those after it. */
  @Override
  public void afterEach(ExtensionContext context) {
    if (context.getExecutionException().isPresent()) {
      StokerStack stack =
          context.getRoot().getStore(NAMESPACE).get(StokerStack.class, StokerStack.class);
      stack.endWhatIsLeft();
      try (RestClient rest = stack.rest()) {
        IntStream.rangeClosed(1, HOSTS).forEach(i -> new Fleet(rest).uncordon("host-" + i));
      }
    }
  }

  private static StokerStack start() {
    try {
      StokerStack stack =
          StokerStack.start(
              "three-hosts",
              StackOptions.DEFAULT
                  .withHosts(HOSTS)
                  .withDispatcherEnvironment(DISPATCHER)
                  .withAgentEnvironment(AGENTS));
      await("three hosts")
          .atMost(StatusLog.PATIENCE)
          .until(
              () ->
                  stack.database().column("select id from host where state = 'UP'").size()
                      == HOSTS);
      return stack;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
