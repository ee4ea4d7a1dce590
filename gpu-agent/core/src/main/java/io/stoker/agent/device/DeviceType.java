package io.stoker.agent.device;

/** The type of a device in CUDA's terms. A process can use several GPUs, and one MIG device. */
public enum DeviceType {
  GPU,
  MIG
}
