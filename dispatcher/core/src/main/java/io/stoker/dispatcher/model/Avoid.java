package io.stoker.dispatcher.model;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The hosts on which a job has failed: its next attempt goes elsewhere as long as it can.
 *
 * @param devices that failed it, by host; of a host where it had none, or where that is not known,
 *     none
 */
public record Avoid(@JsonValue Map<String, List<String>> devices) {
  public static final Avoid NOTHING = new Avoid(Map.of());

  @JsonCreator
  public Avoid {
    devices = Map.copyOf(devices);
  }

  @JsonIgnore
  public Set<String> hosts() {
    return devices.keySet();
  }

  /** Devices of a host that failed it. */
  public List<String> on(String host) {
    return devices.getOrDefault(host, List.of());
  }

  /** With these devices of a host, each once. */
  Avoid and(String host, List<String> failed) {
    Map<String, List<String>> more = new TreeMap<>(devices);
    List<String> all = new ArrayList<>(on(host));
    failed.stream().filter(device -> !all.contains(device)).forEach(all::add);
    more.put(host, List.copyOf(all));
    return new Avoid(more);
  }
}
