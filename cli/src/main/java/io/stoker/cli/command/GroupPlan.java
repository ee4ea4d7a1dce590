package io.stoker.cli.command;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import picocli.CommandLine.Option;

/** The options with which {@code stoker group NAME --create} makes a group. */
final class GroupPlan {
  @Option(
      names = "--create",
      required = true,
      description =
          "Make it before a request names it, and print its name: a number is added to one that is"
              + " taken.")
  private boolean create;

  @Option(
      names = "--after",
      paramLabel = "GROUP",
      description = "With --create: none of it starts before all of GROUP has ended.")
  private String after;

  @Option(
      names = "--memory",
      paramLabel = "SIZE",
      description =
          "With --create: what its staged jobs, and those with gates, are expected to take of a"
              + " host's memory unless they say so, such as 4GiB.")
  private String memory;

  @Option(
      names = "--gpu-memory",
      paramLabel = "SIZE",
      description = "With --create: likewise of a GPU's memory.")
  private String gpuMemory;

  /** As it is posted. */
  ObjectNode json() {
    ObjectNode plan = JsonNodeFactory.instance.objectNode();
    if (after != null) {
      plan.put("after", after);
    }
    if (memory != null) {
      plan.withObject("/estimates").put("memory", memory);
    }
    if (gpuMemory != null) {
      plan.withObject("/estimates").put("gpuMemory", gpuMemory);
    }
    return plan;
  }
}
