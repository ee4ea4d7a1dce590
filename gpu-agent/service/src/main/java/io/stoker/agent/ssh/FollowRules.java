package io.stoker.agent.ssh;

import java.time.Duration;
import java.util.Optional;

/**
 * Decides when runs on nodes are looked at.
 *
 * @param tries to reach a node before its job fails to start, 1 or more
 * @param tryEvery between two of them
 * @param followEvery between two tries to reach a node whose link has dropped
 * @param followLimit longest time without a link, after which both sides give the job up
 * @param lookEvery between two looks at a job
 */
public record FollowRules(
    int tries,
    Duration tryEvery,
    Duration followEvery,
    Optional<Duration> followLimit,
    Duration lookEvery) {}
