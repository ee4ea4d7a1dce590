package io.stoker.agent.gate;

/** A limit that may hold a job back. */
public enum Gate {
  CPU,
  MEMORY,
  GPU_MEMORY,
  MAX_PROCESS,
  MAX_WAITING,
  /** No device that would do is there, or free. */
  DEVICE
}
