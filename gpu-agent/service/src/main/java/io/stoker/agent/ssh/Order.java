package io.stoker.agent.ssh;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An order to a node: what to run.
 *
 * @param node its name, for people
 * @param command program and arguments
 * @param env of the job, beyond what the node gives
 * @param workdir on the node; empty = a scratch folder
 * @param texts files that the job reads, by name: their contents
 * @param limitSeconds after which the node ends it if nobody asks after it, 0 = never
 */
record Order(
    String node,
    List<String> command,
    Map<String, String> env,
    Optional<String> workdir,
    Map<String, String> texts,
    JobCare care,
    long limitSeconds) {}
