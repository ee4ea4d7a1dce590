package io.stoker.agent.policy;

import java.util.List;
import java.util.OptionalLong;

/**
 * A job that wants devices, as a policy sees it.
 *
 * @param request id of the request that started it; a pool's name for a worker that stays
 * @param job its id; the worker's name for a worker
 * @param attempt its number, 1 or more; 0 for a worker
 * @param command what is run, with its arguments
 * @param gpus devices that it wants, 1 or more
 * @param memory bytes that it says to need on each, if it says so
 * @param shared whether others may be on the same devices
 */
public record JobView(
    String request,
    String job,
    int attempt,
    List<String> command,
    int gpus,
    OptionalLong memory,
    boolean shared) {
  public JobView {
    command = List.copyOf(command);
  }
}
