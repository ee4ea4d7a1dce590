package io.stoker.agent.device;

import io.stoker.agent.gpu.DeviceEvent;
import io.stoker.agent.gpu.HealthReading;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * The health records of a host's devices, by their UUIDs. Safe for several threads: events, probes
 * and cleaning each come from one of their own.
 */
public final class HealthBook {
  private final HealthRecord.Rules rules;
  private final Map<String, HealthRecord> records = new LinkedHashMap<>();

  public HealthBook(HealthRecord.Rules rules) {
    this.rules = rules;
  }

  /**
   * Something happened.
   *
   * @param touched the devices that it may have happened to
   */
  public synchronized void event(DeviceEvent event, List<String> touched, long now) {
    for (String uuid : touched) {
      switch (event.kind()) {
        case XID -> change(uuid, record -> record.xid(event.data(), now));
        case DOUBLE_BIT_ECC ->
            change(uuid, record -> record.fault("a memory error that cannot be corrected", now));
        case OTHER -> {}
      }
    }
  }

  public synchronized void answered(String uuid, HealthReading reading, long now) {
    change(uuid, record -> record.answered(reading, now));
  }

  /** As {@link HealthRecord#silent}. */
  public synchronized void silent(String uuid, String reason, boolean certain, long now) {
    change(uuid, record -> record.silent(reason, certain, now));
  }

  public synchronized void leftovers(String uuid, Optional<String> of) {
    change(uuid, record -> record.leftovers(of));
  }

  /** How the devices are, those that are OK left out. */
  public synchronized Map<String, Condition> conditions(List<String> uuids, long now) {
    Map<String, Condition> bad = new LinkedHashMap<>();
    for (String uuid : uuids) {
      Condition condition = records.getOrDefault(uuid, HealthRecord.fresh(rules)).condition(now);
      if (condition.state() != Condition.State.OK) {
        bad.put(uuid, condition);
      }
    }
    return bad;
  }

  private void change(String uuid, UnaryOperator<HealthRecord> step) {
    records.put(uuid, step.apply(records.getOrDefault(uuid, HealthRecord.fresh(rules))));
  }
}
