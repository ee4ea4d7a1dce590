package io.stoker.agent.runner;

import io.stoker.agent.attempt.Input;

/**
 * The lines of one run that the agent has not dealt with yet. Their number is bounded, whatever a
 * run writes: who reads its output looks first whether there is {@linkplain #full room}, and reads
 * on later if there is none, so that what the run writes stays in its file, or keeps it waiting at
 * its pipe. From any thread.
 */
final class SaidByRun {
  static final int MOST = 128 * 1024;

  /** About what an input takes beside its text. */
  private static final int PLAIN = 256;

  private final Inputs inputs;
  private int waiting;

  SaidByRun(Inputs inputs) {
    this.inputs = inputs;
  }

  /**
   * Hands on what a line says.
   *
   * @param bytes of the line
   */
  void say(Input input, int bytes) {
    int size = PLAIN + bytes;
    synchronized (this) {
      waiting += size;
    }
    inputs.accept(input, () -> dealtWith(size));
  }

  private synchronized void dealtWith(int size) {
    waiting -= size;
    notifyAll();
  }

  synchronized boolean full() {
    return waiting >= MOST;
  }

  synchronized void awaitRoom() throws InterruptedException {
    while (full()) {
      wait();
    }
  }
}
