package io.stoker.agent.nvml;

/**
 * Sizes and offsets of NVML's structures in bytes, from nvml.h (API 13) on 64-bit machines. A test
 * compares each of them with a C compiler's.
 */
final class Layouts {
  private Layouts() {}

  static final class MemoryV1 {
    static final int SIZE = 24;
    static final int TOTAL = 0;
    static final int FREE = 8;
    static final int USED = 16;

    private MemoryV1() {}
  }

  static final class MemoryV2 {
    static final int SIZE = 40;
    static final int VERSION = 0;
    static final int TOTAL = 8;
    static final int RESERVED = 16;
    static final int FREE = 24;
    static final int USED = 32;

    /** What {@code version} must hold: the size, and the version in the highest byte. */
    static final int VERSION_VALUE = SIZE | 2 << 24;

    private MemoryV2() {}
  }

  /** The fields lie the same in every form of the entry; only its length differs. */
  static final class ProcessInfo {
    static final int SIZE = 24;
    static final int SHORTEST = 16;
    static final int LONGEST = 32;
    static final int PID = 0;
    static final int USED_MEMORY = 8;
    static final int GPU_INSTANCE = 16;
    static final int COMPUTE_INSTANCE = 20;

    private ProcessInfo() {}
  }

  static final class UtilizationRates {
    static final int SIZE = 8;
    static final int GPU = 0;
    static final int MEMORY = 4;

    private UtilizationRates() {}
  }

  static final class PciInfo {
    static final int SIZE = 68;
    static final int DOMAIN = 16;
    static final int BUS = 20;
    static final int DEVICE = 24;
    static final int BUS_ID = 36;

    private PciInfo() {}
  }

  static final class EventData {
    static final int SIZE = 32;
    static final int DEVICE = 0;
    static final int TYPE = 8;
    static final int DATA = 16;

    private EventData() {}
  }

  static final class ProcessSample {
    static final int SIZE = 32;
    static final int PID = 0;
    static final int TIMESTAMP = 8;
    static final int SM = 16;
    static final int MEMORY = 20;

    private ProcessSample() {}
  }

  static final class DeviceAttributes {
    static final int SIZE = 40;
    static final int MULTIPROCESSORS = 0;
    static final int GPU_SLICES = 24;
    static final int COMPUTE_SLICES = 28;
    static final int MEMORY_MB = 32;

    private DeviceAttributes() {}
  }

  /** Capacities of the text buffers. */
  static final class Text {
    static final int VERSION = 80;
    static final int UUID = 96;
    static final int NAME = 96;

    private Text() {}
  }
}
