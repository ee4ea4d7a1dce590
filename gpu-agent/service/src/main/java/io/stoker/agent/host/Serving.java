package io.stoker.agent.host;

import io.stoker.agent.attempt.Service;
import io.stoker.agent.runner.RunnerFactory;
import io.stoker.agent.secret.HostSecrets;
import io.stoker.common.message.NodeMachine;
import io.stoker.common.request.RunnerType;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The runners and pools that an agent is to serve, and the queues that it serves them to.
 *
 * @param processes types whose jobs are processes of its host
 * @param runners make the runners of all other types
 * @param users whose requests it takes; empty for everybody's
 * @param secrets that jobs may have
 * @param commands whether a request may say itself what to run
 */
public record Serving(
    Set<RunnerType> processes,
    List<RunnerFactory> runners,
    List<String> users,
    HostSecrets secrets,
    boolean commands) {
  Service service(Map<String, Integer> slots, Map<String, List<NodeMachine>> machines) {
    return new Service(processes, slots, users).with(machines);
  }
}
