package io.stoker.cli.bench;

import io.stoker.cli.local.StackInfo;
import io.stoker.cli.rest.RestClient;
import io.stoker.common.topic.Topics;
import io.stoker.kafka.KafkaAccess;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The stack that is measured.
 *
 * @param local its processes and its database, if it runs on this machine
 * @param own whether it was started for this and ends with it
 */
record Target(
    KafkaAccess kafka, RestClient rest, Topics topics, Optional<StackInfo> local, boolean own) {
  /** Pids by what they are; empty for a stack elsewhere. */
  Map<String, List<Long>> processes() {
    return local.map(StackInfo::pids).map(Target::byName).orElse(Map.of());
  }

  /** The same of a stack of this machine. */
  static Map<String, List<Long>> byName(StackInfo.Pids pids) {
    Map<String, List<Long>> processes = new LinkedHashMap<>();
    processes.put("dispatcher", pids.dispatcher());
    processes.put("agent", pids.agent());
    processes.put("kafka", pids.kafka());
    processes.put("postgres", pids.postgres());
    processes.put("redis", pids.redis());
    return processes;
  }
}
