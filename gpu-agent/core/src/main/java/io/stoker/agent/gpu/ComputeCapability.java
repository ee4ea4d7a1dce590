package io.stoker.agent.gpu;

/** The generation of a GPU's instruction set, e.g. 9.0. */
public record ComputeCapability(int major, int minor) {
  @Override
  public String toString() {
    return major + "." + minor;
  }
}
