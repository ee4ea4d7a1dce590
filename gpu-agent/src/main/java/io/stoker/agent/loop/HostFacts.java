package io.stoker.agent.loop;

import java.util.Map;

/**
 * What an agent says of its host and of itself.
 *
 * @param journal id of its journal
 */
record HostFacts(
    String host,
    String fleet,
    String version,
    String bootId,
    String journal,
    Map<String, String> labels) {}
