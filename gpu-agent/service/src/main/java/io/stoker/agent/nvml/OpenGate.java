package io.stoker.agent.nvml;

import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;

/**
 * Knows whether NVML is open, since NVML does not: its shutdown returns success whatever came
 * before. Calls pass side by side; closing waits for those in flight and happens once.
 */
final class OpenGate {
  private final ReadWriteLock lock = new ReentrantReadWriteLock();
  private final Runnable shutdown;
  private boolean closed;

  OpenGate(Runnable shutdown) {
    this.shutdown = shutdown;
  }

  <T> T whileOpen(Supplier<T> call) {
    lock.readLock().lock();
    try {
      if (closed) {
        throw new IllegalStateException("NVML was released; open it again to ask about devices");
      }
      return call.get();
    } finally {
      lock.readLock().unlock();
    }
  }

  /** Does something unless NVML is closed already. */
  void ifOpen(Runnable action) {
    lock.readLock().lock();
    try {
      if (!closed) {
        action.run();
      }
    } finally {
      lock.readLock().unlock();
    }
  }

  void close() {
    lock.writeLock().lock();
    try {
      if (!closed) {
        closed = true;
        shutdown.run();
      }
    } finally {
      lock.writeLock().unlock();
    }
  }
}
