package io.stoker.agent.loop;

import java.util.Map;

/**
 * What an agent says of its host and of itself.
 *
 * @param journal id of its journal
 * @param maxWaiting staged jobs that it holds without a GPU, 0 = any number
 */
record HostFacts(
    String host,
    String fleet,
    String version,
    String bootId,
    String journal,
    Map<String, String> labels,
    int maxWaiting) {}
