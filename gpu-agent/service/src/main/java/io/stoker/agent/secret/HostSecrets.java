package io.stoker.agent.secret;

import io.stoker.common.message.Workload.Claim;
import io.stoker.common.security.SecretUsers;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The secrets of this host, as its configuration names them. Their values are kept nowhere. */
public final class HostSecrets {
  public static final HostSecrets NONE = new HostSecrets(Map.of());

  /** What is shorter would hide half of what jobs print. */
  private static final int SHORTEST = 4;

  private final Map<String, HostSecret> byName;

  /**
   * Values by the runs that have them, which may print them also once others are in their place.
   */
  private final Map<String, Set<String>> given = new HashMap<>();

  /**
   * One of them.
   *
   * @param queues whose requests may use it; {@code *} for all
   */
  public record HostSecret(SecretSource source, Set<String> queues) {}

  public HostSecrets(Map<String, HostSecret> byName) {
    this.byName = Map.copyOf(byName);
  }

  /**
   * The variables of a claim with their values.
   *
   * @param run which is given them, until it is {@linkplain #forget forgotten}
   * @throws IOException saying which cannot be had, and why; never with a value
   */
  public Map<String, String> of(String run, Claim claim) throws IOException {
    return of(run, claim, false);
  }

  /**
   * The same of a pool's worker, of which the host's own configuration says what it gets: it has no
   * queue.
   */
  public Map<String, String> ofWorker(String run, Claim claim) throws IOException {
    return of(run, claim, true);
  }

  private Map<String, String> of(String run, Claim claim, boolean anyQueue) throws IOException {
    Map<String, String> variables = new TreeMap<>();
    for (Map.Entry<String, String> asked : claim.secrets().entrySet()) {
      variables.put(asked.getKey(), value(asked.getKey(), asked.getValue(), claim, anyQueue));
    }
    if (!variables.isEmpty()) {
      give(run, variables.values());
    }
    return variables;
  }

  private synchronized void give(String run, Collection<String> values) {
    given.computeIfAbsent(run, same -> new HashSet<>()).addAll(values);
  }

  /** Nothing is left of a run. */
  public synchronized void forget(String run) {
    given.remove(run);
  }

  private String value(String variable, String name, Claim claim, boolean anyQueue)
      throws IOException {
    String at = "env.%s asks for secret %s".formatted(variable, name);
    HostSecret secret = byName.get(name);
    if (secret == null) {
      throw new IOException(
          "%s, and this host has none of that name: see stoker.agent.secrets.%s"
              .formatted(at, name));
    }
    String queue = claim.queue().orElse("");
    if (!anyQueue && !new SecretUsers(secret.queues()).include(queue)) {
      throw new IOException(
          "%s, which this host does not give to queue %s: see stoker.agent.secrets.%s.queues"
              .formatted(at, queue, name));
    }
    try {
      String value = secret.source().read();
      if (value.indexOf('\0') >= 0) {
        throw new IOException("it holds a NUL, which no environment can");
      }
      return value;
    } catch (IOException e) {
      throw new IOException("%s, which cannot be read: %s".formatted(at, e.getMessage()), e);
    }
  }

  /** What hides those that jobs of this host have, or can have. */
  public Masks masks() {
    if (byName.isEmpty()) {
      return Masks.NONE;
    }
    Set<String> values = new HashSet<>();
    for (HostSecret secret : byName.values()) {
      try {
        values.add(secret.source().read());
      } catch (IOException e) {
        // No job has it from this agent.
      }
    }
    synchronized (this) {
      given.values().forEach(values::addAll);
    }
    return new Masks(
        values.stream()
            .filter(value -> value.length() >= SHORTEST)
            .map(value -> value.getBytes(StandardCharsets.UTF_8))
            .toList());
  }
}
