/**
 * The spawner: a small JVM beside the agent that is the parent of all jobs. It outlives the agent,
 * so exit codes do; it forks by {@code posix_spawn}, so a start costs no shell. See ADR 0008.
 */
package io.stoker.agent.spawn;
