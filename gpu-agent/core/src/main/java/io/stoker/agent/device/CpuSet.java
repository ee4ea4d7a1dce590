package io.stoker.agent.device;

import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/** Processors of a machine, by their numbers. Its text is the kernel's list, such as 0-3,8. */
public final class CpuSet {
  public static final CpuSet NONE = new CpuSet(new BitSet());

  private final BitSet cpus;

  private CpuSet(BitSet cpus) {
    this.cpus = cpus;
  }

  /** Of a mask, the lowest numbers first. */
  public static CpuSet of(long[] mask) {
    return new CpuSet(BitSet.valueOf(mask));
  }

  /**
   * Reads a list of the kernel's.
   *
   * @throws IllegalArgumentException if it is none
   */
  public static CpuSet parse(String list) {
    BitSet cpus = new BitSet();
    for (String part : list.strip().split(",")) {
      if (part.isBlank()) {
        continue;
      }
      String[] ends = part.strip().split("-", 2);
      cpus.set(Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1]) + 1);
    }
    return new CpuSet(cpus);
  }

  public boolean isEmpty() {
    return cpus.isEmpty();
  }

  /** Those that are in either. */
  public CpuSet or(CpuSet other) {
    BitSet all = (BitSet) cpus.clone();
    all.or(other.cpus);
    return new CpuSet(all);
  }

  /** Those that are in both. */
  public CpuSet and(CpuSet other) {
    BitSet both = (BitSet) cpus.clone();
    both.and(other.cpus);
    return new CpuSet(both);
  }

  /** Those that are in any of these. */
  static CpuSet union(List<CpuSet> sets) {
    return sets.stream().reduce(NONE, CpuSet::or);
  }

  /** Their mask, the lowest numbers first, in so many words; higher ones are left out. */
  public long[] mask(int words) {
    return Arrays.copyOf(cpus.toLongArray(), words);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof CpuSet set && cpus.equals(set.cpus);
  }

  @Override
  public int hashCode() {
    return cpus.hashCode();
  }

  @Override
  public String toString() {
    StringBuilder list = new StringBuilder();
    for (int first = cpus.nextSetBit(0); first >= 0; ) {
      int end = cpus.nextClearBit(first);
      list.append(list.isEmpty() ? "" : ",").append(first);
      if (end - first > 1) {
        list.append('-').append(end - 1);
      }
      first = cpus.nextSetBit(end);
    }
    return list.toString();
  }
}
