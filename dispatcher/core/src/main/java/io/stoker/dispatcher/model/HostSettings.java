package io.stoker.dispatcher.model;

import io.stoker.common.message.HostMessage.SettingAnswer;
import io.stoker.common.message.ToAgent;
import io.stoker.common.message.ToAgent.SetDevices;
import io.stoker.common.message.ToAgent.SetPolicy;
import io.stoker.common.text.PlainText;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The settings of a host made by people, which are told to each start of its agent.
 *
 * @param policy by which it chooses devices; null = its own configuration's
 * @param parameters of the policy
 * @param devices its device list; null = its own configuration's
 * @param policyId of the message that told of the policy, which the host answers; null if none did
 * @param devicesId likewise of the device list
 */
public record HostSettings(
    String policy,
    Map<String, String> parameters,
    String devices,
    String policyId,
    String devicesId) {
  public static final HostSettings NONE = new HostSettings(null, null, null, null, null);

  public HostSettings withPolicy(String name, Map<String, String> given, String id) {
    return new HostSettings(name, name == null ? null : given, devices, id, devicesId);
  }

  public HostSettings withDevices(String list, String id) {
    return new HostSettings(policy, parameters, list, policyId, id);
  }

  /**
   * What an agent is to be told. What was taken back is told, too: the agent may not have heard of
   * that yet, and the same again changes nothing.
   */
  public List<ToAgent> messages() {
    List<ToAgent> messages = new ArrayList<>();
    messages.add(new SetPolicy(policy, parameters, policyId));
    messages.add(new SetDevices(devices, devicesId));
    return messages;
  }

  /**
   * Whether an agent may not have heard of them; of what nobody waits for, that is not known.
   *
   * @param answers what it made of the newest that it heard of; null if it heard of none
   */
  public boolean unheard(List<SettingAnswer> answers) {
    Set<String> heard =
        answers == null
            ? Set.of()
            : answers.stream().map(SettingAnswer::id).collect(Collectors.toSet());
    return unheard(heard, policy, policyId) || unheard(heard, devices, devicesId);
  }

  private static boolean unheard(Set<String> heard, String told, String id) {
    return id == null ? told != null : !heard.contains(PlainText.of(id));
  }
}
