package io.stoker.agent.loop;

import io.stoker.common.message.HostMessage.HostResources;

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
    HostResources resources) {}
