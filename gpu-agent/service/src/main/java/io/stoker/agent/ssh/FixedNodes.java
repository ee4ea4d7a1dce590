package io.stoker.agent.ssh;

import java.util.List;
import java.util.Map;

/** Machines that are always there, or should be. */
public record FixedNodes(Map<String, Node> nodes) implements Nodes {
  @Override
  public List<Offer> offers() {
    return nodes.entrySet().stream()
        .map(node -> new Offer(node.getKey(), node.getValue().gpus()))
        .toList();
  }

  @Override
  public Readiness prepare(String name) {
    return find(name);
  }

  @Override
  public Readiness find(String name) {
    Node node = nodes.get(name);
    return node == null
        ? new Never("node " + name + " is not in the node mapping any more", true)
        : new Ready(node);
  }

  @Override
  public void used(String name, String run) {}

  @Override
  public void settled() {}

  @Override
  public void unused(String name, String run) {}

  @Override
  public void close() {}
}
