package io.stoker.agent.runner;

import io.stoker.agent.cgroup.GroupRules;
import io.stoker.agent.cgroup.RunGroups;
import io.stoker.agent.secret.HostSecrets;
import java.nio.file.Path;

/**
 * What a runner goes by.
 *
 * @param host this one's name
 * @param data the agent's data folder, absolute
 * @param owner what the markers of this agent's runs begin with: its journal's id
 * @param bootId of this boot
 * @param logCap bytes of output sent on, of a run
 * @param graceMs between SIGTERM and SIGKILL for what a job leaves behind
 * @param keepEnded whether what ended runs left is put aside, and not deleted
 * @param confinement what their processes are kept in
 * @param groups control groups of the runs
 * @param groupRules what these allow
 * @param affinity on which processors they run
 * @param secrets that they may have
 * @param commands whether they may be what a request says, and not of a kind alone
 */
public record RunnerSettings(
    String host,
    Path data,
    String owner,
    String bootId,
    long logCap,
    long graceMs,
    boolean keepEnded,
    Confinement confinement,
    RunGroups groups,
    GroupRules groupRules,
    Affinity affinity,
    HostSecrets secrets,
    boolean commands) {}
