package io.stoker.agent.secret;

import io.stoker.common.message.Workload.Claim;
import io.stoker.common.security.SecretUsers;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The secrets of this host, as its configuration names them. Their values are kept nowhere. */
public final class HostSecrets {
  public static final HostSecrets NONE = new HostSecrets(Map.of());

  /** What is shorter would hide half of what jobs print. */
  private static final int SHORTEST = 4;

  private final Map<String, HostSecret> byName;

  /** Values that were given out, or could have been: what jobs print is looked through for them. */
  private final Set<String> known = new LinkedHashSet<>();

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
   * @throws IOException saying which cannot be had, and why; never with a value
   */
  public Map<String, String> of(Claim claim) throws IOException {
    return of(claim, false);
  }

  /**
   * The same of a pool's worker, of which the host's own configuration says what it gets: it has no
   * queue.
   */
  public Map<String, String> ofWorker(Claim claim) throws IOException {
    return of(claim, true);
  }

  private Map<String, String> of(Claim claim, boolean anyQueue) throws IOException {
    Map<String, String> variables = new TreeMap<>();
    for (Map.Entry<String, String> asked : claim.secrets().entrySet()) {
      variables.put(asked.getKey(), value(asked.getKey(), asked.getValue(), claim, anyQueue));
    }
    return variables;
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
      know(value);
      return value;
    } catch (IOException e) {
      throw new IOException("%s, which cannot be read: %s".formatted(at, e.getMessage()), e);
    }
  }

  private synchronized void know(String value) {
    if (value.length() >= SHORTEST) {
      known.add(value);
    }
  }

  /** What hides those that jobs of this host have had, or can have. */
  public Masks masks() {
    if (byName.isEmpty()) {
      return Masks.NONE;
    }
    for (HostSecret secret : byName.values()) {
      try {
        know(secret.source().read());
      } catch (IOException e) {
        // No job has it from this agent.
      }
    }
    List<byte[]> values = new ArrayList<>();
    synchronized (this) {
      known.forEach(value -> values.add(value.getBytes(StandardCharsets.UTF_8)));
    }
    return new Masks(values);
  }
}
