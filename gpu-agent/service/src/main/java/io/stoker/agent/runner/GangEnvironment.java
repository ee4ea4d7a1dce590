package io.stoker.agent.runner;

import io.stoker.common.message.ToAgent.Gang;
import java.util.LinkedHashMap;
import java.util.Map;

/** The variables by which a member of a gang finds the others. */
final class GangEnvironment {
  private static final String STOKER = "STOKER_";

  private GangEnvironment() {}

  /** Under the names that programs for several hosts look for; a request may say otherwise. */
  static Map<String, String> of(Gang gang) {
    String address = gang.address();
    int colon = address.lastIndexOf(':');
    Map<String, String> variables = new LinkedHashMap<>();
    variables.put("RANK", Integer.toString(gang.rank()));
    variables.put("WORLD_SIZE", Integer.toString(gang.size()));
    variables.put("MASTER_ADDR", address.substring(0, colon));
    variables.put("MASTER_PORT", address.substring(colon + 1));
    return variables;
  }

  /** Under names of Stoker's own. */
  static Map<String, String> stoker(Gang gang) {
    Map<String, String> variables = new LinkedHashMap<>();
    of(gang).forEach((name, value) -> variables.put(STOKER + name, value));
    return variables;
  }
}
