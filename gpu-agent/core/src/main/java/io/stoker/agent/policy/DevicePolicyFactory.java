package io.stoker.agent.policy;

/** Makes policies of one name. Found by {@link java.util.ServiceLoader}. */
public interface DevicePolicyFactory {
  /** By which configuration and {@code stoker policy} ask for it, such as {@code round-robin}. */
  String name();

  /**
   * A new policy.
   *
   * @throws PolicyException if a parameter cannot be used
   */
  DevicePolicy create(PolicyParameters parameters);
}
