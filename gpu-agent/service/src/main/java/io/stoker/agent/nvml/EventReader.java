package io.stoker.agent.nvml;

import com.sun.jna.Pointer;
import io.stoker.agent.gpu.DeviceEvent;
import io.stoker.agent.gpu.DeviceEvent.Kind;
import io.stoker.agent.gpu.NvmlCodes;
import io.stoker.agent.gpu.NvmlEvents;
import io.stoker.agent.gpu.NvmlException;
import io.stoker.agent.nvml.Layouts.EventData;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** An event set of NVML. It is never freed during a wait: both are synchronized. */
final class EventReader implements NvmlEvents {
  static final long XID_CRITICAL = 8;
  static final long DOUBLE_BIT_ECC = 2;

  private static final String WAIT = "nvmlEventSetWait_v2";

  private final long set;
  private final Map<String, String> unwatched;
  private final OpenGate gate;
  private final DeviceQuestions questions;
  private final Calls calls;
  private boolean closed;

  private EventReader(
      long set,
      Map<String, String> unwatched,
      OpenGate gate,
      DeviceQuestions questions,
      Calls calls) {
    this.set = set;
    this.unwatched = Map.copyOf(unwatched);
    this.gate = gate;
    this.questions = questions;
    this.calls = calls;
  }

  /** One device that cannot be watched keeps no other from being watched. */
  static EventReader start(
      Collection<String> uuids, OpenGate gate, DeviceQuestions questions, Calls calls) {
    long set =
        calls.requiredStruct(
            "nvmlEventSetCreate",
            Calls.HOST,
            Long.BYTES,
            EventSymbols::nvmlEventSetCreate,
            out -> out.getLong(0));
    Map<String, String> unwatched = new LinkedHashMap<>();
    for (String uuid : uuids) {
      try {
        long device = questions.handle(uuid);
        int code =
            EventSymbols.nvmlDeviceRegisterEvents(device, XID_CRITICAL | DOUBLE_BIT_ECC, set);
        calls.require(code, "nvmlDeviceRegisterEvents", uuid);
      } catch (NvmlException e) {
        unwatched.put(uuid, e.getMessage());
      }
    }
    return new EventReader(set, unwatched, gate, questions, calls);
  }

  @Override
  public Map<String, String> unwatched() {
    return unwatched;
  }

  @Override
  public synchronized Optional<DeviceEvent> await(Duration limit) {
    if (!limit.isPositive() || limit.compareTo(MAX_WAIT) > 0) {
      throw new IllegalArgumentException(
          "a wait of %s; expected more than 0 and at most %s".formatted(limit, MAX_WAIT));
    }
    if (closed) {
      throw new IllegalStateException("this watch on device events was closed");
    }
    return gate.whileOpen(() -> next(Math.toIntExact(Math.max(1, limit.toMillis()))));
  }

  private Optional<DeviceEvent> next(int timeoutMs) {
    return calls.inMemory(
        EventData.SIZE,
        out -> {
          int code = EventSymbols.nvmlEventSetWait_v2(set, Pointer.nativeValue(out), timeoutMs);
          if (code == NvmlCodes.TIMEOUT) {
            return Optional.empty();
          }
          calls.require(code, WAIT, Calls.HOST);
          return Optional.of(decode(out));
        });
  }

  private DeviceEvent decode(Pointer event) {
    return new DeviceEvent(
        uuid(event.getLong(EventData.DEVICE)),
        kind(event.getLong(EventData.TYPE)),
        event.getLong(EventData.DATA));
  }

  /** A device that cannot even say who it is gives no reason to drop its event. */
  private Optional<String> uuid(long device) {
    try {
      return device == 0
          ? Optional.empty()
          : Optional.of(questions.uuid(device, "the device of an event"));
    } catch (NvmlException e) {
      return Optional.empty();
    }
  }

  private static Kind kind(long type) {
    if (type == XID_CRITICAL) {
      return Kind.XID;
    }
    return type == DOUBLE_BIT_ECC ? Kind.DOUBLE_BIT_ECC : Kind.OTHER;
  }

  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      // With NVML released, its sets are gone already.
      gate.ifOpen(
          () -> calls.require(EventSymbols.nvmlEventSetFree(set), "nvmlEventSetFree", Calls.HOST));
    }
  }
}
