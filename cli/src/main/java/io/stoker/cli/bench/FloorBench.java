package io.stoker.cli.bench;

import io.stoker.cli.local.StackInfo;
import io.stoker.cli.terminal.ProgressLine;
import java.util.Map;
import java.util.function.IntConsumer;
import java.util.stream.Stream;

/**
 * Measures the floors of a stack on this machine, one after the other.
 *
 * @param warmUp records and rows before those that are measured, 0 for none
 * @param count records, and as many rows
 */
record FloorBench(StackInfo stack, int warmUp, int count, ProgressLine progress) {
  Floor run() {
    Floor.Part records;
    try (KafkaFloor kafka = KafkaFloor.open(stack.kafka())) {
      records = measure("Kafka", kafka::run, "kafka");
    }
    try (PostgresFloor postgres = PostgresFloor.open(stack.postgres())) {
      return new Floor(records, measure("Postgres", postgres::run, "postgres"), null);
    }
  }

  private Floor.Part measure(String what, IntConsumer work, String server) {
    progress.update("floor of %s".formatted(what));
    if (warmUp > 0) {
      work.accept(warmUp);
    }
    Meter meter = new Meter(Target.byName(stack.pids()));
    Map<String, Double> before = meter.cpuSeconds();
    long start = System.nanoTime();
    work.accept(count);
    double seconds = (System.nanoTime() - start) / 1e9;
    Map<String, Double> spent = Meter.between(before, meter.cpuSeconds(), 1);
    return Floor.Part.of(count, seconds, Stream.of(server, "bench").mapToDouble(spent::get).sum());
  }
}
