package io.stoker.agent.loop;

import io.stoker.agent.attempt.Input;
import java.util.Optional;
import java.util.function.Consumer;

/** Looks for devices; the answer comes as an input. */
public interface DeviceFinder {
  /**
   * @param list a device list, kept for the next start if it can be used; empty = the configured
   */
  void find(Optional<String> list, Consumer<Input> inputs);
}
