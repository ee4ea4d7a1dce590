package io.stoker.dispatcher.model;

import io.stoker.common.state.FailureCategory;

/**
 * A failed job that waits before its next attempt.
 *
 * @param dueAt when it gets in line, ms since 1970
 * @param category of the failure that it waits after
 */
public record BackoffRow(String job, long dueAt, FailureCategory category) {}
