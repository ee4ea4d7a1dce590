package io.stoker.agent.gpu;

import java.util.Arrays;
import java.util.Optional;

/** The nearest thing that two GPUs have in common, from near to far. */
public enum TopologyLevel {
  /** Both on one board. */
  BOARD(0),
  /** One PCIe switch. */
  SINGLE_SWITCH(10),
  /** Several PCIe switches, no host bridge. */
  MULTIPLE_SWITCHES(20),
  /** One PCIe host bridge. */
  HOST_BRIDGE(30),
  /** One NUMA node. */
  NUMA_NODE(40),
  /** The machine: data crosses from one CPU to the other. */
  SYSTEM(50);

  private final int number;

  TopologyLevel(int number) {
    this.number = number;
  }

  /** The level of NVML's number; empty for one that is not known here. */
  public static Optional<TopologyLevel> of(int number) {
    return Arrays.stream(values()).filter(level -> level.number == number).findFirst();
  }
}
