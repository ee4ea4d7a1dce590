package io.stoker.agent.ssh;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a node is to run.
 *
 * @param node its name, for people
 * @param command program and arguments
 * @param env of the job, beyond what the node gives
 * @param workdir on the node; empty = a scratch folder
 * @param preScript shell text before the command, in the same shell
 * @param postScript shell text after it
 * @param texts files that the job reads, by name: their contents
 * @param files to be copied into its scratch folder
 * @param graceMs between TERM and KILL for what the job leaves behind
 * @param limitSeconds after which the node ends it if nobody asks after it, 0 = never
 */
record Order(
    String node,
    List<String> command,
    Map<String, String> env,
    Optional<String> workdir,
    Optional<String> preScript,
    Optional<String> postScript,
    Map<String, String> texts,
    List<Path> files,
    long graceMs,
    long limitSeconds) {}
