package io.stoker.agent.policy;

import java.util.Map;

/**
 * A policy as it is asked for.
 *
 * @param name of the policy
 * @param parameters by name; those not given keep their defaults
 */
public record PolicyChoice(String name, Map<String, String> parameters) {
  public static final PolicyChoice DEFAULT = new PolicyChoice(Policies.DEFAULT, Map.of());

  public PolicyChoice {
    parameters = Map.copyOf(parameters);
  }
}
