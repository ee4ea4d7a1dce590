package io.stoker.agent.runner;

import io.stoker.agent.cgroup.GroupRules;
import java.time.Duration;

/**
 * The terms of every run of an agent.
 *
 * @param logCap bytes of output sent on
 * @param grace between SIGTERM and SIGKILL, also for what a job leaves behind
 * @param keepEnded whether what ended runs left is put aside, and not deleted
 * @param confinement what their processes are kept in
 * @param groups when they have control groups, and what these allow
 */
public record RunTerms(
    long logCap, Duration grace, boolean keepEnded, Confinement confinement, GroupRules groups) {}
