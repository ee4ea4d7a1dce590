package io.stoker.agent.nvml;

import io.stoker.agent.gpu.HealthReading;
import io.stoker.agent.gpu.NvmlCodes;
import io.stoker.agent.gpu.RemappedRows;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** Asks a GPU for its condition. */
final class HealthReader {
  private static final int UNCORRECTED = 1;
  private static final int SINCE_LOADED = 0;

  /** Pages with an error that could not be corrected. */
  private static final int DOUBLE_BIT = 1;

  private final OptionalSymbols optional;
  private final DeviceQuestions questions;
  private final Calls calls;

  HealthReader(OptionalSymbols optional, DeviceQuestions questions, Calls calls) {
    this.optional = optional;
    this.questions = questions;
    this.calls = calls;
  }

  HealthReading read(long device, String uuid) {
    return new HealthReading(
        uncorrected(device, uuid),
        retired(device, uuid),
        retirementPending(device, uuid),
        rows(device, uuid),
        questions.clocksEventReasons(device, uuid));
  }

  private OptionalLong uncorrected(long device, String uuid) {
    return calls
        .struct(
            "nvmlDeviceGetTotalEccErrors",
            uuid,
            Long.BYTES,
            out -> optional.eccErrors.call(device, UNCORRECTED, SINCE_LOADED, out),
            out -> OptionalLong.of(out.getLong(0)))
        .orElseGet(OptionalLong::empty);
  }

  /** Asked with room for none, NVML answers that it is too little, and how many there are. */
  private OptionalInt retired(long device, String uuid) {
    return calls
        .struct(
            "nvmlDeviceGetRetiredPages_v2",
            uuid,
            Integer.BYTES,
            out -> {
              int code = optional.retiredPages.call(device, DOUBLE_BIT, out, 0, 0);
              return code == NvmlCodes.INSUFFICIENT_SIZE ? NvmlCodes.SUCCESS : code;
            },
            out -> OptionalInt.of(out.getInt(0)))
        .orElseGet(OptionalInt::empty);
  }

  private boolean retirementPending(long device, String uuid) {
    return calls
        .struct(
            "nvmlDeviceGetRetiredPagesPendingStatus",
            uuid,
            Integer.BYTES,
            out -> optional.retirementPending.call(device, out),
            out -> out.getInt(0) != 0)
        .orElse(false);
  }

  private Optional<RemappedRows> rows(long device, String uuid) {
    return calls.struct(
        "nvmlDeviceGetRemappedRows",
        uuid,
        4 * Integer.BYTES,
        out ->
            optional.remappedRows.call(
                device, out, out + Integer.BYTES, out + 2 * Integer.BYTES, out + 3 * Integer.BYTES),
        out ->
            new RemappedRows(
                out.getInt(0),
                out.getInt(Integer.BYTES),
                out.getInt(2 * Integer.BYTES) != 0,
                out.getInt(3 * Integer.BYTES) != 0));
  }
}
