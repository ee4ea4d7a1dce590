package io.stoker.agent.runner;

import java.io.IOException;

/** Makes a runner, once its agent knows its folder. */
public interface RunnerFactory {
  /**
   * The runner.
   *
   * @throws IOException if what it is configured with cannot be used; the agent does not start then
   */
  Runner open(RunnerContext context) throws IOException;
}
