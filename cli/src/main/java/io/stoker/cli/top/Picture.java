package io.stoker.cli.top;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.message.RequestStatus;
import java.time.Instant;
import java.util.List;

/**
 * A fleet at one moment, as dispatchers answer about it.
 *
 * @param running requests whose jobs run, as far as they are shown
 * @param line the first of each queue's line, as far as they are shown
 * @param now by this machine's clock
 */
record Picture(
    List<JsonNode> hosts,
    List<JsonNode> queues,
    List<RequestStatus> running,
    List<Waiter> line,
    Instant now) {
  long gpus() {
    return hosts.stream().mapToLong(host -> host.at("/resources/devices").size()).sum();
  }

  long freeGpus() {
    return sum("/freeGpus");
  }

  long cpuSlots() {
    return sum("/resources/cpuSlots");
  }

  long freeCpuSlots() {
    return sum("/freeCpuSlots");
  }

  long queued() {
    return queues.stream().mapToLong(queue -> queue.path("queued").asLong()).sum();
  }

  long open() {
    return queues.stream().mapToLong(queue -> queue.path("open").asLong()).sum();
  }

  private long sum(String field) {
    return hosts.stream().mapToLong(host -> host.at(field).asLong()).sum();
  }
}
