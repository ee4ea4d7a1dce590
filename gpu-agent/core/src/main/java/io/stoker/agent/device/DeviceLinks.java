package io.stoker.agent.device;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The speed at which the devices of a host reach each other.
 *
 * @param scores of pairs by their UUIDs, both ways: 100 for each NVLink between the two, and 10
 *     (from CPU to CPU) to 60 (on one board) for their places; a pair that is not known counts 0
 */
public record DeviceLinks(Map<String, Map<String, Integer>> scores) {
  /** Up to so many candidates every set is looked at; beyond, sets are grown from the best pair. */
  private static final int EXHAUSTIVE = 8;

  public static final DeviceLinks UNKNOWN = new DeviceLinks(Map.of());

  public DeviceLinks {
    scores = Map.copyOf(scores);
  }

  int between(Device first, Device second) {
    return scores.getOrDefault(first.uuid(), Map.of()).getOrDefault(second.uuid(), 0);
  }

  /**
   * The set of so many devices whose pairs reach each other fastest, in the order of the
   * candidates; among equals the one whose devices come first.
   */
  List<Device> best(List<Device> candidates, int count) {
    if (count < 2 || count >= candidates.size()) {
      return candidates.subList(0, count);
    }
    Search search = new Search(candidates, count);
    if (candidates.size() <= EXHAUSTIVE) {
      search.extend(new ArrayList<>(), 0, 0);
    } else {
      search.grow();
    }
    return search.best.stream().sorted().map(candidates::get).toList();
  }

  private final class Search {
    private final List<Device> candidates;
    private final int count;
    private List<Integer> best = List.of();
    private int bestScore = -1;

    Search(List<Device> candidates, int count) {
      this.candidates = candidates;
      this.count = count;
    }

    void extend(List<Integer> chosen, int from, int score) {
      if (chosen.size() == count) {
        if (score > bestScore) {
          bestScore = score;
          best = List.copyOf(chosen);
        }
        return;
      }
      for (int next = from; next <= candidates.size() - (count - chosen.size()); next++) {
        int gained = gain(chosen, next);
        chosen.add(next);
        extend(chosen, next + 1, score + gained);
        chosen.removeLast();
      }
    }

    /** Begins with the best pair and adds what gains most each time. */
    void grow() {
      List<Integer> chosen = new ArrayList<>(new Search(candidates, 2).pair());
      while (chosen.size() < count) {
        int most = -1;
        int found = -1;
        for (int next = 0; next < candidates.size(); next++) {
          if (!chosen.contains(next) && gain(chosen, next) > most) {
            most = gain(chosen, next);
            found = next;
          }
        }
        chosen.add(found);
      }
      best = chosen;
    }

    private List<Integer> pair() {
      extend(new ArrayList<>(), 0, 0);
      return best;
    }

    private int gain(List<Integer> chosen, int next) {
      return chosen.stream()
          .mapToInt(one -> between(candidates.get(one), candidates.get(next)))
          .sum();
    }
  }
}
