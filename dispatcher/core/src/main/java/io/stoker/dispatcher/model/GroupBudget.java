package io.stoker.dispatcher.model;

/**
 * The number of retries that the jobs of a group may use together.
 *
 * @param retries in all
 * @param used so far
 */
public record GroupBudget(String group, long retries, long used) {
  public boolean usedUp() {
    return used >= retries;
  }

  public GroupBudget withOneUsed() {
    return new GroupBudget(group, retries, used + 1);
  }
}
