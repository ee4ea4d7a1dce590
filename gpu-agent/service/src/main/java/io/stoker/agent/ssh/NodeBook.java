package io.stoker.agent.ssh;

import io.stoker.agent.ssh.NodeGpus.Taken;
import io.stoker.agent.ssh.NodeGpus.Wanted;
import io.stoker.common.message.NodeMachine;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * Records which runs are on which node and its GPUs, and chooses the next node: of those with room
 * one that has not failed the job and was reached last, with the fewest runs, at random among
 * equals.
 */
final class NodeBook {
  /** Jobs whose failures are remembered. */
  private static final int MOST_JOBS = 1_000;

  private final Map<String, Room> nodes = new LinkedHashMap<>();
  private final RandomGenerator random;
  private final Map<String, Given> givenByRun = new HashMap<>();
  private final Set<String> troubled = new TreeSet<>();
  private final Map<String, Set<String>> failedByJob =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Set<String>> eldest) {
          return size() > MOST_JOBS;
        }
      };

  /** What a node has: runs at once, and its GPUs where they are known. */
  private record Room(int runs, Optional<NodeGpus> gpus) {
    boolean hasGpus() {
      return gpus.filter(all -> !all.ids().isEmpty()).isPresent();
    }
  }

  /**
   * What a run has.
   *
   * @param gpus that it has; empty where nothing is said of the node's
   * @param over whether it takes nothing any more but its files
   */
  record Given(String node, Optional<Taken> gpus, boolean over) {}

  /**
   * @param perNode runs at once on a node; on one with more GPUs, as many as it has of these
   */
  NodeBook(List<Nodes.Offer> nodes, int perNode, RandomGenerator random) {
    for (Nodes.Offer node : nodes) {
      int gpus = node.gpus().map(all -> all.ids().size()).orElse(0);
      this.nodes.put(node.name(), new Room(Math.max(perNode, gpus), node.gpus()));
    }
    this.random = random;
  }

  /** Runs at once, on all nodes. */
  int slots() {
    return nodes.values().stream().mapToInt(Room::runs).sum();
  }

  /** Nodes with GPUs; of those that are alike one. */
  List<NodeMachine> machines() {
    return nodes.values().stream()
        .filter(Room::hasGpus)
        .map(room -> room.gpus().orElseThrow().machine())
        .distinct()
        .toList();
  }

  /**
   * Chooses a node for a run, and writes it down.
   *
   * @param wanted of the node's GPUs
   * @return nothing if no node has room now
   */
  synchronized Optional<Given> choose(String run, String job, Wanted wanted) {
    Set<String> failed = failedByJob.getOrDefault(job, Set.of());
    List<String> shuffled = new ArrayList<>(nodes.keySet());
    Collections.shuffle(shuffled, Random.from(random));
    Optional<Given> given =
        shuffled.stream()
            .flatMap(node -> give(node, wanted).stream())
            .min(
                Comparator.<Given, Boolean>comparing(one -> failed.contains(one.node()))
                    .thenComparing(one -> troubled.contains(one.node()))
                    .thenComparing(one -> wanted.count() == 0 && nodes.get(one.node()).hasGpus())
                    .thenComparing(one -> load(one.node())));
    given.ifPresent(one -> givenByRun.put(run, one));
    return given;
  }

  /** What a run would have of a node; nothing if that has no room for it. */
  private Optional<Given> give(String node, Wanted wanted) {
    Room room = nodes.get(node);
    if (load(node) >= room.runs()) {
      return Optional.empty();
    }
    if (room.gpus().isEmpty()) {
      return wanted.count() > 0
          ? Optional.empty()
          : Optional.of(new Given(node, Optional.empty(), false));
    }
    List<Taken> taken = on(node).flatMap(given -> given.gpus().stream()).toList();
    return room.gpus()
        .get()
        .choose(wanted, taken)
        .map(chosen -> new Given(node, Optional.of(chosen), false));
  }

  private long load(String node) {
    return on(node).count();
  }

  private Stream<Given> on(String node) {
    return givenByRun.values().stream().filter(one -> !one.over() && one.node().equals(node));
  }

  /** A run that is there already. */
  synchronized void put(String run, String node, Optional<Taken> gpus) {
    givenByRun.put(run, new Given(node, gpus, false));
  }

  /** Nothing of the run works any more: others may have what it had. */
  synchronized void over(String run) {
    givenByRun.computeIfPresent(run, (name, was) -> new Given(was.node(), was.gpus(), true));
  }

  /** The node has nothing of the run any more. */
  synchronized Optional<String> remove(String run) {
    return Optional.ofNullable(givenByRun.remove(run)).map(Given::node);
  }

  synchronized void failed(String job, String node) {
    failedByJob.computeIfAbsent(job, same -> new TreeSet<>()).add(node);
  }

  synchronized void reached(String node, boolean well) {
    if (well) {
      troubled.remove(node);
    } else {
      troubled.add(node);
    }
  }
}
