package io.stoker.cli.bench;

import io.stoker.cli.kafka.TopicTail;
import io.stoker.cli.local.Role;
import io.stoker.cli.outcome.CliException;
import io.stoker.cli.stack.EmbeddedStack;
import io.stoker.cli.stack.child.Child;
import io.stoker.cli.terminal.ProgressLine;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.HostMessage;
import io.stoker.common.message.HostMessage.Heartbeat;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Starts the stack's agent again and again, then leaves it alone. */
final class AgentBench {
  static final int GPUS = 8;

  private static final long MIB = 1 << 20;
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration SETTLE = Duration.ofSeconds(60);
  private static final Duration IDLE = Duration.ofSeconds(30);

  private final Target target;
  private final int warmUp;
  private final ProgressLine progress;
  private final Child agent;
  private final ProcessTree tree = new ProcessTree(Path.of("/proc"));
  private long epoch;

  /**
   * @param stack of one agent
   * @param warmUp starts before those that are measured
   */
  AgentBench(EmbeddedStack stack, Target target, int warmUp, ProgressLine progress) {
    this.target = target;
    this.warmUp = warmUp;
    this.progress = progress;
    this.agent = stack.children(Role.AGENT).getFirst();
  }

  BenchReport run(int starts) {
    long began = System.nanoTime();
    List<Double> millis = new ArrayList<>();
    try (TopicTail heartbeats =
        TopicTail.open(target.kafka(), List.of(target.topics().heartbeats()))) {
      for (int i = 0; i < warmUp; i++) {
        progress.update("agent, warming up");
        start(heartbeats);
      }
      for (int i = 0; i < starts; i++) {
        progress.update("agent, start %d of %d".formatted(i + 1, starts));
        millis.add(start(heartbeats));
      }
    }
    List<Long> processes = List.of(agent.pid().orElseThrow());
    double idle =
        Idle.percent(() -> Map.of("agent", tree.cpuSeconds(processes)), progress, SETTLE, IDLE)
            .get("agent");
    AgentFigures figures =
        new AgentFigures(
            GPUS,
            Percentiles.of(millis),
            tree.largest(processes) / MIB,
            tree.memory(processes) / MIB,
            idle);
    double seconds = Rounded.secondsSince(began);
    BenchReport report = new BenchReport("agent", starts, seconds);
    report.agent = figures;
    return report;
  }

  /** Milliseconds until the next agent's first heartbeat. */
  private double start(TopicTail heartbeats) {
    agent.stop();
    drain(heartbeats);
    long before = epoch;
    long start = System.nanoTime();
    agent.start();
    while (epoch <= before) {
      if (System.nanoTime() - start > PATIENCE.toNanos()) {
        throw CliException.failed("no heartbeat of %s within %s".formatted(agent.name(), PATIENCE));
      }
      heartbeats.poll(POLL).forEach(this::read);
    }
    return (System.nanoTime() - start) / 1e6;
  }

  /** Reads what the agent before has said: it has ended. */
  private void drain(TopicTail heartbeats) {
    boolean more = true;
    while (more) {
      more = false;
      for (ConsumerRecord<byte[], byte[]> record : heartbeats.poll(POLL)) {
        read(record);
        more = true;
      }
    }
  }

  private void read(ConsumerRecord<byte[], byte[]> record) {
    try {
      if (Json.read(record.value(), HostMessage.class) instanceof Heartbeat heartbeat) {
        epoch = Math.max(epoch, heartbeat.epoch());
      }
    } catch (MalformedJson e) {
      throw CliException.failed("no message of a host is on the heartbeats topic: " + e);
    }
  }
}
