package io.stoker.cli.run;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Optional;

/**
 * What a command line asks for a job.
 *
 * @param command program and arguments
 * @param workdir where it runs; empty = a scratch folder
 * @param gpus how many; empty = none, unless memory is asked for
 * @param gpuMemory such as {@code 6GiB}
 * @param hosts how many at once, each with all the rest; empty = one
 * @param preemptible whether it may make room for others
 */
public record RunOptions(
    List<String> command,
    Optional<String> workdir,
    Optional<Integer> gpus,
    Optional<String> gpuMemory,
    Optional<Integer> hosts,
    Optional<String> queue,
    Optional<Integer> priority,
    Optional<String> timeout,
    Optional<String> group,
    boolean preemptible) {

  /** The request that says the same. */
  public ObjectNode request(String id) {
    ObjectNode request = JsonNodeFactory.instance.objectNode();
    request.put("id", id);
    command.forEach(request.putArray("command")::add);
    // Whoever runs a command wants it to run, not to hear what it gave the last time.
    request.put("dedup", "always");
    workdir.ifPresent(folder -> request.put("workdir", folder));
    queue.ifPresent(name -> request.put("queue", name));
    priority.ifPresent(number -> request.put("priority", number));
    timeout.ifPresent(time -> request.put("timeout", time));
    group.ifPresent(name -> request.put("group", name));
    if (preemptible) {
      request.put("preemptible", true);
    }
    ObjectNode resources = JsonNodeFactory.instance.objectNode();
    if (gpus.isPresent() || gpuMemory.isPresent()) {
      resources.put("gpus", gpus.orElse(1));
      gpuMemory.ifPresent(size -> resources.put("gpuMemory", size));
    }
    hosts.ifPresent(many -> resources.put("hosts", many));
    if (!resources.isEmpty()) {
      request.set("resources", resources);
    }
    return request;
  }
}
