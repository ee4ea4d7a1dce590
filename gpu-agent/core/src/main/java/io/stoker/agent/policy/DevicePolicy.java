package io.stoker.agent.policy;

import java.util.List;
import java.util.OptionalLong;

/**
 * Chooses among the devices that could serve a job now. What does not fit, is out of use or is held
 * alone is never among them: a policy cannot overcommit a device, whatever it answers.
 *
 * <p>To add one, implement this and {@link DevicePolicyFactory}, and name the factory in {@code
 * META-INF/services/io.stoker.agent.policy.DevicePolicyFactory}.
 *
 * <p>A policy is used by one thread. It keeps its state itself, and takes the time from what it is
 * given: CLOCK_BOOTTIME in ms, which never jumps.
 */
public interface DevicePolicy {
  /**
   * The devices that there are, in the order of the device list; told first, and again whenever the
   * list changes.
   */
  default void devices(List<String> ids, long nowMs) {}

  /**
   * Every device in service as it is now; told before each question.
   *
   * @param all in the order of the device list
   */
  default void observe(List<DeviceView> all, long nowMs) {}

  /**
   * The devices to give a shared job, best first; those left out are not given to it now. A job
   * that has its devices alone is given what is left out, too, after the rest.
   *
   * @param able devices that could serve, in the order of the device list
   */
  List<DeviceView> rank(List<DeviceView> able, long nowMs);

  /**
   * The same for who wants to know the job: asked in place of {@link #rank(List, long)}, which it
   * asks if it is not overridden.
   *
   * @param job that a device is wanted for
   */
  default List<DeviceView> rank(List<DeviceView> able, JobView job, long nowMs) {
    return rank(able, nowMs);
  }

  /**
   * When a device that was left out may be given, if nothing but time is in the way: the host is
   * asked again then. Empty: nobody can say, and it is asked again when something has changed on
   * the host, or after a while.
   */
  default OptionalLong withheldUntil(DeviceView device, long nowMs) {
    return OptionalLong.empty();
  }

  /** These were given. */
  default void granted(List<String> devices, long nowMs) {}

  /**
   * Bytes that a shared job is counted with which does not say what it takes. Empty: such a job
   * cannot be accounted for, and has its device alone.
   */
  default OptionalLong assumed() {
    return OptionalLong.empty();
  }

  /**
   * The same, where it follows from what devices have.
   *
   * @param largest bytes of the device that has most; 0 if there is none
   */
  default OptionalLong assumed(long largest) {
    return assumed();
  }

  /**
   * A process of ours has started.
   *
   * @param process its name, as in {@link DeviceView#usedByProcess}
   */
  default void addProcess(String process) {}

  /** A process has ended; one that is not known is ignored. */
  default void removeProcess(String process) {}
}
