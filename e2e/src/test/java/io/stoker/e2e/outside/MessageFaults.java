package io.stoker.e2e.outside;

import io.stoker.e2e.outside.Lane.Fault;
import io.stoker.e2e.outside.OutsideLoad.Expected;
import io.stoker.e2e.outside.RunRules.Note;
import io.stoker.e2e.stack.RedisWire;
import io.stoker.e2e.stack.StokerStack;
import io.stoker.e2e.stack.TopicLog;
import io.stoker.e2e.stack.Traces;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * What may come by the topics that should not, twice or late; and small blows to connections,
 * memory and jobs.
 */
final class MessageFaults implements AutoCloseable {
  /** Keys of what is no message at all start with it. */
  static final String GARBAGE = "garbage-";

  private static final int LARGE_BYTES = 3 << 20;

  private final StokerStack stack;
  private final OutsideLoad load;
  private final JobNotes notes;
  private final StatusRules statuses;
  private final Random random;
  private final TopicLog<ConsumerRecord<String, byte[]>> heartbeats;
  private final TopicLog<ConsumerRecord<String, byte[]>> events;
  private final TopicLog<ConsumerRecord<String, byte[]>> placements;
  private int sent;

  MessageFaults(
      StokerStack stack, OutsideLoad load, JobNotes notes, StatusRules statuses, long seed) {
    this.stack = stack;
    this.load = load;
    this.notes = notes;
    this.statuses = statuses;
    random = new Random(seed);
    heartbeats = log(stack.topics().heartbeats());
    events = log(stack.topics().events());
    placements = log(stack.topics().placements("host-1"));
  }

  private TopicLog<ConsumerRecord<String, byte[]>> log(String topic) {
    return new TopicLog<>(stack.processes().info().kafka(), topic, record -> record);
  }

  Map<String, Fault> all() {
    Map<String, Fault> faults = new HashMap<>();
    faults.put("garbage among requests", () -> garbage(stack.topics().requests()));
    faults.put("garbage among control messages", () -> garbage(stack.topics().control()));
    faults.put("garbage among events", () -> garbage(stack.topics().events()));
    faults.put("garbage among heartbeats", () -> garbage(stack.topics().heartbeats()));
    faults.put("garbage among placements", () -> garbage(stack.topics().placements("host-1")));
    faults.put("request of 3 MiB", this::largeRequest);
    faults.put("request repeated", this::repeatRequest);
    faults.put("hello replayed", () -> replay(heartbeats, "\"hello\""));
    faults.put("heartbeat replayed", () -> replay(heartbeats, "\"heartbeat\""));
    faults.put("inventory replayed", () -> replay(heartbeats, "\"inventory\""));
    faults.put("event replayed", () -> replay(events, ""));
    faults.put("placement replayed", () -> replay(placements, ""));
    faults.put("Redis emptied", this::flushRedis);
    faults.put("connections to Postgres ended", this::endConnections);
    faults.put("job killed", this::killJob);
    faults.put("request cancelled", this::cancel);
    return faults;
  }

  private void garbage(String topic) {
    byte[] value =
        switch (random.nextInt(5)) {
          case 0 -> random(1 + random.nextInt(300));
          case 1 -> "{\"id\":\"garbage\",\"command\":".getBytes(StandardCharsets.UTF_8);
          case 2 -> "{\"type\":\"no such\",\"host\":\"host-1\"}".getBytes(StandardCharsets.UTF_8);
          case 3 -> ("[".repeat(5_000)).getBytes(StandardCharsets.UTF_8);
          default -> new byte[0];
        };
    send(topic, GARBAGE + sent++, value);
  }

  private byte[] random(int count) {
    byte[] bytes = new byte[count];
    random.nextBytes(bytes);
    return bytes;
  }

  private void largeRequest() {
    byte[] value = new byte[LARGE_BYTES];
    Arrays.fill(value, (byte) 'x');
    send(stack.topics().requests(), GARBAGE + sent++, value);
  }

  private void repeatRequest() {
    List<Expected> all = List.copyOf(load.all().values());
    if (!all.isEmpty()) {
      Expected one = all.get(random.nextInt(all.size()));
      send(stack.topics().requests(), one.posted().id(), one.posted().bytes());
    }
  }

  private void replay(TopicLog<ConsumerRecord<String, byte[]>> log, String word) {
    List<ConsumerRecord<String, byte[]>> fitting =
        log.all().stream()
            .filter(record -> record.value() != null)
            .filter(record -> new String(record.value(), StandardCharsets.UTF_8).contains(word))
            .toList();
    if (!fitting.isEmpty()) {
      ConsumerRecord<String, byte[]> old = fitting.get(random.nextInt(fitting.size()));
      stack
          .producer()
          .send(
              new ProducerRecord<>(
                  old.topic(), old.partition(), old.key(), old.value(), old.headers()));
      stack.producer().flush();
    }
  }

  private void cancel() {
    Map<String, StatusRules.End> ends = statuses.ends();
    List<String> open =
        load.all().values().stream()
            .filter(Expected::cancelled)
            .map(one -> one.posted().id())
            .filter(id -> !ends.containsKey(id))
            .toList();
    if (!open.isEmpty()) {
      String id = open.get(random.nextInt(open.size()));
      String message = "{\"type\":\"cancel\",\"request\":\"%s\",\"reason\":\"a check\"}";
      send(stack.topics().control(), id, message.formatted(id).getBytes(StandardCharsets.UTF_8));
    }
  }

  private void send(String topic, String key, byte[] value) {
    stack.producer().send(new ProducerRecord<>(topic, key, value));
    stack.producer().flush();
  }

  private void flushRedis() throws IOException {
    try {
      RedisWire.ask(stack.processes().info().redis(), "FLUSHALL\r\n");
    } catch (IOException e) {
      // It is down by another lane's doing: as empty as can be.
    }
  }

  private void endConnections() {
    try {
      stack
          .database()
          .column(
              "select pg_terminate_backend(pid) from pg_stat_activity"
                  + " where datname = current_database() and pid <> pg_backend_pid()");
    } catch (SQLException e) {
      // It is down by another lane's doing, and with it all connections.
    }
  }

  /** SIGKILL to the shell of a job that may be tried again. */
  private void killJob() throws IOException {
    for (Expected one : load.all().values()) {
      if (!one.killed() || statuses.ends().containsKey(one.posted().id())) {
        continue;
      }
      String job = statuses.job(one.posted().id());
      List<Note> written = notes.of(job);
      if (!written.isEmpty() && !written.getLast().word().equals("end")) {
        ProcessHandle.of(written.getLast().pid())
            .filter(process -> Traces.isOfJob(process, job))
            .ifPresent(ProcessHandle::destroyForcibly);
        return;
      }
    }
  }

  @Override
  public void close() {
    heartbeats.close();
    events.close();
    placements.close();
  }
}
