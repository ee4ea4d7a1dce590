package io.stoker.agent.policy;

import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;

/** The policies that there are, by name: ours, and those that users put on the class path. */
public final class Policies {
  /** What a host begins with that is not told otherwise. */
  public static final String DEFAULT = "first-fit";

  private final Map<String, DevicePolicyFactory> factories = new TreeMap<>();

  private Policies() {}

  /**
   * Finds all of those on the class path.
   *
   * @throws PolicyException if two have one name
   */
  public static Policies load() {
    return load(Policies.class.getClassLoader());
  }

  /**
   * Finds all of those of a class path.
   *
   * @throws PolicyException if two have one name
   */
  public static Policies load(ClassLoader classes) {
    Policies policies = new Policies();
    for (DevicePolicyFactory factory : ServiceLoader.load(DevicePolicyFactory.class, classes)) {
      DevicePolicyFactory other = policies.factories.putIfAbsent(factory.name(), factory);
      if (other != null) {
        throw new PolicyException(
            "two policies are called %s: %s and %s"
                .formatted(
                    factory.name(), other.getClass().getName(), factory.getClass().getName()));
      }
    }
    return policies;
  }

  /**
   * A new policy of a name.
   *
   * @throws PolicyException if there is none, naming those there are, or a parameter is wrong
   */
  public DevicePolicy create(PolicyChoice choice) {
    String name = choice.name();
    DevicePolicyFactory factory = factories.get(name);
    if (factory == null) {
      throw new PolicyException(
          "no policy is called '%s'; there are %s"
              .formatted(name, String.join(", ", factories.keySet())));
    }
    PolicyParameters given = new PolicyParameters(name, choice.parameters());
    DevicePolicy policy = factory.create(given);
    given.requireAllKnown();
    return policy;
  }
}
