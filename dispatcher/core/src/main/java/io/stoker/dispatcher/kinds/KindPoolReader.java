package io.stoker.dispatcher.kinds;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.stoker.common.message.ToAgent.WorkerPool;
import io.stoker.common.request.PoolName;
import io.stoker.common.request.PoolParser;
import io.stoker.common.request.RequestRefused;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Reads the pools of workers that kinds declare. */
final class KindPoolReader {
  private static final String POOL = "pool";
  private static final String WORKERS = "workers";

  private KindPoolReader() {}

  /**
   * Takes the declaration of a pool out of a kind's definition, which is left with the pool's name:
   * without one of its own, the kind's.
   */
  static Optional<WorkerPool> take(Located file, String kind, ObjectNode definition)
      throws KindsRefused {
    JsonNode given = definition.remove(POOL);
    if (given == null) {
      return Optional.empty();
    }
    String at = KindsReader.KINDS + "." + kind;
    if (!definition.has(WORKERS)) {
      definition.put(WORKERS, kind);
    }
    JsonNode name = definition.get(WORKERS);
    if (!name.isTextual() || !PoolName.isValid(name.textValue())) {
      String path = at + "." + WORKERS;
      throw KindsReader.refused(file, path, path + ": " + name + ", expected " + PoolName.EXPECTED);
    }
    try {
      return Optional.of(PoolParser.parse(name.textValue(), kind, given));
    } catch (RequestRefused e) {
      String path = at + "." + e.field();
      throw KindsReader.refused(file, path, path + ": " + e.value() + ", expected " + e.expected());
    }
  }

  /** Others may name a pool; what it is, one kind says. */
  static void declaredOnce(Located file, Collection<Kind> kinds) throws KindsRefused {
    Map<String, String> byPool = new HashMap<>();
    for (Kind kind : kinds) {
      if (kind.pool().isPresent()) {
        String pool = kind.pool().get().name();
        String first = byPool.putIfAbsent(pool, kind.name());
        if (first != null) {
          String path = KindsReader.KINDS + "." + kind.name() + "." + POOL;
          throw KindsReader.refused(
              file,
              path,
              "%s: declares pool %s again, which kind %s does; expected workers: %s alone"
                  .formatted(path, pool, first, pool));
        }
      }
    }
  }
}
