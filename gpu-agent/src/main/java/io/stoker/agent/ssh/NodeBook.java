package io.stoker.agent.ssh;

import static java.util.stream.Collectors.toSet;

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
 * Which runs are on which node and its GPUs, and which node is the next one's: of those with room
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

  /** What a node has: runs at once, and the ids of its GPUs where they are known. */
  private record Room(int runs, Optional<List<String>> gpus) {
    int gpuCount() {
      return gpus.map(List::size).orElse(0);
    }
  }

  /**
   * What a run has.
   *
   * @param gpus ids of those that are its own; empty where nothing is said of the node's
   * @param over whether it takes nothing any more but its files
   */
  record Given(String node, Optional<List<String>> gpus, boolean over) {}

  /**
   * @param perNode runs at once on a node; on one with more GPUs, as many as it has of these
   */
  NodeBook(List<Nodes.Offer> nodes, int perNode, RandomGenerator random) {
    for (Nodes.Offer node : nodes) {
      int gpus = node.gpus().map(List::size).orElse(0);
      this.nodes.put(node.name(), new Room(Math.max(perNode, gpus), node.gpus()));
    }
    this.random = random;
  }

  /** Runs at once, on all nodes. */
  int slots() {
    return nodes.values().stream().mapToInt(Room::runs).sum();
  }

  /** GPUs of the node that has most. */
  int mostGpus() {
    return nodes.values().stream().mapToInt(Room::gpuCount).max().orElse(0);
  }

  /**
   * Chooses a node for a run, and writes it down.
   *
   * @param gpus of the node that the run is to have alone
   * @return nothing if no node has room now
   */
  synchronized Optional<Given> choose(String run, String job, int gpus) {
    Set<String> failed = failedByJob.getOrDefault(job, Set.of());
    List<String> shuffled = new ArrayList<>(nodes.keySet());
    Collections.shuffle(shuffled, Random.from(random));
    Optional<Given> given =
        shuffled.stream()
            .filter(node -> load(node) < nodes.get(node).runs() && free(node).size() >= gpus)
            .min(
                Comparator.<String, Boolean>comparing(failed::contains)
                    .thenComparing(troubled::contains)
                    .thenComparing(node -> gpus == 0 && nodes.get(node).gpuCount() > 0)
                    .thenComparing(this::load))
            .map(node -> new Given(node, some(node, gpus), false));
    given.ifPresent(one -> givenByRun.put(run, one));
    return given;
  }

  /** The first of the node's GPUs that are nobody's. */
  private Optional<List<String>> some(String node, int count) {
    return nodes.get(node).gpus().map(all -> free(node).stream().limit(count).toList());
  }

  private List<String> free(String node) {
    Set<String> taken =
        on(node).flatMap(given -> given.gpus().stream()).flatMap(List::stream).collect(toSet());
    return nodes.get(node).gpus().orElse(List.of()).stream()
        .filter(gpu -> !taken.contains(gpu))
        .toList();
  }

  private long load(String node) {
    return on(node).count();
  }

  private Stream<Given> on(String node) {
    return givenByRun.values().stream().filter(one -> !one.over() && one.node().equals(node));
  }

  /** A run that is there already. */
  synchronized void put(String run, String node, Optional<List<String>> gpus) {
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
