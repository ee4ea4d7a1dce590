package io.stoker.agent.device;

/** What a device is to CUDA. A process can use several GPUs, and one MIG device. */
public enum DeviceType {
  GPU,
  MIG
}
