package io.stoker.agent.nvml;

/** The shapes of the optional functions. All return NVML's code; addresses are {@code long}s. */
final class Signatures {
  private Signatures() {}

  interface SystemOut {
    int call(long out);
  }

  interface DeviceOut {
    int call(long device, long out);
  }

  interface DeviceTwoOut {
    int call(long device, long first, long second);
  }

  interface DeviceOtherOut {
    int call(long device, long other, long out);
  }

  interface DeviceSamplesOut {
    int call(long device, long samples, long count, long since);
  }

  interface DeviceKindsOut {
    int call(long device, int kind, int counter, long out);
  }

  interface DevicePagesOut {
    int call(long device, int cause, long count, long addresses, long times);
  }

  interface DeviceFourOut {
    int call(long device, long first, long second, long third, long fourth);
  }

  interface DeviceSelectOut {
    int call(long device, int which, long out);
  }
}
