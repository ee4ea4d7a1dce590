package io.stoker.agent.policy;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * A policy as it is asked for.
 *
 * @param name of the policy
 * @param parameters by name; those not given keep their defaults
 */
public record PolicyChoice(String name, Map<String, String> parameters) {
  public static final PolicyChoice DEFAULT = new PolicyChoice(Policies.DEFAULT, Map.of());

  public PolicyChoice {
    // Whatever was written: what is wrong with it is said by whom it is asked of.
    parameters = Collections.unmodifiableMap(new TreeMap<>(parameters));
  }
}
