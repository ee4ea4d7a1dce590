package io.stoker.agent.ssh;

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

/**
 * Which runs are on which node, and which node is the next one's: of those that have not failed the
 * job and were reached last, one with the fewest runs, at random among equals.
 */
final class NodeBook {
  /** Jobs whose failures are remembered. */
  private static final int MOST_JOBS = 1_000;

  private final List<String> nodes;
  private final RandomGenerator random;
  private final Map<String, String> nodeByRun = new HashMap<>();
  private final Set<String> troubled = new TreeSet<>();
  private final Map<String, Set<String>> failedByJob =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Set<String>> eldest) {
          return size() > MOST_JOBS;
        }
      };

  NodeBook(List<String> nodes, RandomGenerator random) {
    this.nodes = List.copyOf(nodes);
    this.random = random;
  }

  /** Chooses a node for a run, and writes it down. */
  synchronized String choose(String run, String job) {
    Set<String> failed = failedByJob.getOrDefault(job, Set.of());
    List<String> shuffled = new ArrayList<>(nodes);
    Collections.shuffle(shuffled, Random.from(random));
    String node =
        shuffled.stream()
            .min(
                Comparator.<String, Boolean>comparing(failed::contains)
                    .thenComparing(troubled::contains)
                    .thenComparing(this::load))
            .orElseThrow();
    nodeByRun.put(run, node);
    return node;
  }

  /** A run that is there already. */
  synchronized void put(String run, String node) {
    nodeByRun.put(run, node);
  }

  /** The node has nothing of the run any more. */
  synchronized Optional<String> remove(String run) {
    return Optional.ofNullable(nodeByRun.remove(run));
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

  private long load(String node) {
    return nodeByRun.values().stream().filter(node::equals).count();
  }
}
