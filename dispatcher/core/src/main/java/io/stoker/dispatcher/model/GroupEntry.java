package io.stoker.dispatcher.model;

import io.stoker.common.state.RequestState;

/**
 * The change of a group's counts by one transaction.
 *
 * @param total requests that arrived
 * @param succeeded requests that ended so; likewise the others
 * @param at ms since 1970
 */
public record GroupEntry(
    String group, long total, long succeeded, long failed, long cancelled, long at) {
  public static GroupEntry arrived(String group, long at) {
    return new GroupEntry(group, 1, 0, 0, 0, at);
  }

  /** So many of its requests have ended. */
  public static GroupEntry ended(String group, RequestState how, long times, long at) {
    return new GroupEntry(
        group,
        0,
        how == RequestState.SUCCEEDED ? times : 0,
        how == RequestState.FAILED ? times : 0,
        how == RequestState.CANCELLED ? times : 0,
        at);
  }

  /** Both together; of one group and time. */
  public GroupEntry plus(GroupEntry other) {
    return new GroupEntry(
        group,
        total + other.total,
        succeeded + other.succeeded,
        failed + other.failed,
        cancelled + other.cancelled,
        at);
  }
}
