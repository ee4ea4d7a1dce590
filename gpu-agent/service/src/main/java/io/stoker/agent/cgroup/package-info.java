/**
 * A control group (cgroup v2) for each run, where the agent may make groups: limits its memory,
 * says what it took and whether the kernel killed in it, and ends all of it at once. See ADR 0014.
 */
package io.stoker.agent.cgroup;
