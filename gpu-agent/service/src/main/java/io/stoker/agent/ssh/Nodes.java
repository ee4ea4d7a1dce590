package io.stoker.agent.ssh;

import java.util.List;
import java.util.Optional;

/** The machines that jobs can be run on, by name; from any thread, and it may take a while. */
public interface Nodes extends AutoCloseable {
  /**
   * A machine that jobs can be run on.
   *
   * @param gpus that it has; empty if nothing is said of them
   */
  record Offer(String name, Optional<NodeGpus> gpus) {}

  /** Whether a machine can be used. */
  sealed interface Readiness {}

  /** It is at this address. */
  record Ready(Node node) implements Readiness {}

  /** Not yet; ask again after so many ms. */
  record Later(long waitMs) implements Readiness {}

  /**
   * It cannot.
   *
   * @param gone whether nothing runs on it any more, for certain
   */
  record Never(String why, boolean gone) implements Readiness {}

  /** All of them. */
  List<Offer> offers();

  /** Makes a machine ready for a job. */
  Readiness prepare(String name);

  /** Where a machine is now, on which something may run; starts nothing. */
  Readiness find(String name);

  /** A run needs the machine from now on. */
  void used(String name, String run);

  /** All runs of an earlier agent that need a machine have been named. */
  void settled();

  /** The run needs it no more: nothing of it is left there. */
  void unused(String name, String run);

  @Override
  void close();
}
