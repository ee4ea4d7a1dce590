package io.stoker.agent.policy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;

/**
 * Any device that will do, each as likely as the others.
 *
 * @param random the same seed gives the same choices
 */
public record RandomPolicy(Random random) implements DevicePolicy {
  @Override
  public List<DeviceView> rank(List<DeviceView> able, long nowMs) {
    List<DeviceView> shuffled = new ArrayList<>(able);
    Collections.shuffle(shuffled, random);
    return shuffled;
  }

  /** It always grants: what a job takes is the user's business. */
  @Override
  public OptionalLong assumed() {
    return OptionalLong.of(0);
  }

  /** {@code random}, with the parameter {@code seed}; without it, every start differs. */
  public static final class Factory implements DevicePolicyFactory {
    @Override
    public String name() {
      return "random";
    }

    @Override
    public DevicePolicy create(PolicyParameters parameters) {
      var seed = parameters.number("seed");
      return new RandomPolicy(seed.isPresent() ? new Random(seed.getAsLong()) : new Random());
    }
  }
}
