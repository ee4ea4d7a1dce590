package io.stoker.agent.gpu;

import java.util.Optional;

/**
 * The versions of what is installed.
 *
 * @param driver the driver, e.g. {@code 550.54.15}
 * @param nvml the library, e.g. {@code 12.550.54.15}
 * @param cuda the newest CUDA the driver runs, e.g. {@code 12.4}; empty if the library cannot say
 */
public record NvmlVersions(String driver, String nvml, Optional<String> cuda) {}
