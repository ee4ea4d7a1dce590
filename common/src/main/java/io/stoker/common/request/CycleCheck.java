package io.stoker.common.request;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Finds the cycle that a request would close. A cycle closes with its last request, which is
 * refused; so what is stored never holds one.
 */
public final class CycleCheck {
  private final Map<String, Set<String>> dependenciesOf = new HashMap<>();

  /**
   * Finds a cycle among requests that are posted together.
   *
   * @return its path, its first id repeated at the end; empty if there is none
   */
  public static Optional<List<String>> among(Collection<JobRequest> together) {
    Map<String, Integer> waitsFor = new LinkedHashMap<>();
    Map<String, List<String>> dependents = new HashMap<>();
    together.forEach(request -> waitsFor.put(request.id(), 0));
    for (JobRequest request : together) {
      for (String dependency : request.dependsOn()) {
        if (waitsFor.containsKey(dependency)) {
          waitsFor.merge(request.id(), 1, Integer::sum);
          dependents.computeIfAbsent(dependency, id -> new ArrayList<>()).add(request.id());
        }
      }
    }
    Deque<String> free = new ArrayDeque<>();
    waitsFor.forEach(
        (id, others) -> {
          if (others == 0) {
            free.add(id);
          }
        });
    while (!free.isEmpty()) {
      String next = free.remove();
      waitsFor.remove(next);
      for (String dependent : dependents.getOrDefault(next, List.of())) {
        if (waitsFor.merge(dependent, -1, Integer::sum) == 0) {
          free.add(dependent);
        }
      }
    }
    if (waitsFor.isEmpty()) {
      return Optional.empty();
    }
    CycleCheck left = new CycleCheck();
    together.forEach(request -> left.add(request.id(), request.dependsOn()));
    return together.stream()
        .filter(request -> waitsFor.containsKey(request.id()))
        .flatMap(request -> left.closedBy(request.id(), request.dependsOn()).stream())
        .findFirst();
  }

  /** Notes that a request waits for others. */
  public void add(String dependent, Collection<String> dependencies) {
    dependenciesOf.computeIfAbsent(dependent, id -> new LinkedHashSet<>()).addAll(dependencies);
  }

  /** The path from {@code id} back to itself, if waiting for these dependencies closes one. */
  public Optional<List<String>> closedBy(String id, List<String> dependencies) {
    Map<String, String> cameFrom = new HashMap<>();
    Set<String> seen = new HashSet<>(dependencies);
    Deque<String> toVisit = new ArrayDeque<>(dependencies);
    dependencies.forEach(dependency -> cameFrom.put(dependency, id));
    while (!toVisit.isEmpty()) {
      String current = toVisit.removeFirst();
      if (current.equals(id)) {
        return Optional.of(path(id, cameFrom));
      }
      for (String next : dependenciesOf.getOrDefault(current, Set.of())) {
        if (seen.add(next)) {
          cameFrom.put(next, current);
          toVisit.addLast(next);
        }
      }
    }
    return Optional.empty();
  }

  private static List<String> path(String id, Map<String, String> cameFrom) {
    List<String> backwards = new ArrayList<>();
    String current = id;
    do {
      backwards.add(current);
      current = cameFrom.get(current);
    } while (!current.equals(id));
    backwards.add(id);
    return backwards.reversed();
  }
}
