package io.stoker.agent.config;

import io.smallrye.config.WithDefault;
import java.util.List;

/** {@code stoker.agent.runners.*}: what an agent runs jobs with. */
public interface RunnersConfig {

  /** What {@code resources.type} may be on this host. */
  @WithDefault("cpu,gpu")
  List<String> types();
}
